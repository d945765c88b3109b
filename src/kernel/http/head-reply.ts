/**
 * Replies to HEAD: the checks, status and headers of GET, without a body. Nothing stays: what a handler writes is rolled back, and what only a GET
 * may give (a session, a stream) isn't made.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from './answer.ts'
import type { Principal } from './auth-strategies.ts'
import { compressedEncoding } from './compression.ts'
import { rolledBack } from './dry-run.ts'

/** Returns a caller of whose transactions nothing stays. */
export const withoutWrites = (caller: Principal): Principal => ({
  ...caller,
  run: (mode, work) =>
    mode === 'read' ? caller.run(mode, (ctx) => work({ ...ctx, afterCommit: () => {} })) : rolledBack(caller, work),
})

/** Sends the headers of a JSON reply. The length is left out where GET would compress: it isn't known without doing so. */
export function sendJsonHead(request: FastifyRequest, reply: FastifyReply, payload: string) {
  const length = Buffer.byteLength(payload)
  const encoding = compressedEncoding(request, length)
  if (encoding) reply.headers({ 'content-encoding': encoding, vary: varyWithEncoding(reply.getHeader('vary')) })
  else reply.header('content-length', length)
  return reply.send()
}

const varyWithEncoding = (vary: unknown) => (vary ? `${vary}, accept-encoding` : 'accept-encoding')

/** Sends the headers of an answer. Cookies are left out: the session that they would begin isn't stored. */
export function sendAnswerHead(reply: FastifyReply, { status, headers, body }: Answer) {
  const { 'set-cookie': _, ...sent } = headers
  reply.code(status).headers(sent)
  if (!(body instanceof Readable)) return reply.send(body ?? '') // Node sends its length alone
  body.destroy()
  return reply.send()
}
