/**
 * Replies to HEAD: the checks, status and headers of GET, without a body. Writes of the handler are rolled back, and results that
 * only a GET may create (a session, a stream) aren't created.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from './answer.ts'
import type { Principal } from './auth-strategies.ts'
import { compressedEncoding } from './compression.ts'
import { rolledBack } from './dry-run.ts'

/** Returns a caller whose transactions are rolled back and whose `afterCommit` work is skipped. */
export const withoutWrites = (caller: Principal): Principal => ({
  ...caller,
  run: (mode, work) =>
    mode === 'read' ? caller.run(mode, (ctx) => work({ ...ctx, afterCommit: () => {} })) : rolledBack(caller, work),
})

/** Sends the headers of a JSON reply. `Content-Length` is omitted if GET would compress: it is unknown without compressing. */
export function sendJsonHead(request: FastifyRequest, reply: FastifyReply, payload: string) {
  const length = Buffer.byteLength(payload)
  const encoding = compressedEncoding(request, length)
  if (encoding) reply.headers({ 'content-encoding': encoding, vary: varyWithEncoding(reply.getHeader('vary')) })
  else reply.header('content-length', length)
  return reply.send()
}

const varyWithEncoding = (vary: unknown) => (vary ? `${vary}, accept-encoding` : 'accept-encoding')

/** Sends the headers of an answer. Cookies are omitted: their session isn't stored. */
export function sendAnswerHead(reply: FastifyReply, { status, headers, body }: Answer) {
  const { 'set-cookie': _, ...sent } = headers
  reply.code(status).headers(sent)
  if (!(body instanceof Readable)) return reply.send(body ?? '') // Node sends only the length
  body.destroy()
  return reply.send()
}
