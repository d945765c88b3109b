/** Replies that are identical for all users: large and public, so they are built and compressed once. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sha256 } from '../secrets/secrets.ts'
import { namesEtag } from './validators.ts'

/** Reply in every encoding. */
export interface Kept {
  type: string
  headers: Record<string, string>
  /** Bodies by `Content-Encoding`. */
  bodies: Record<(typeof ENCODINGS)[number], Buffer>
}

/** Best first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const

/** Compresses a body into a reply. */
export async function kept(body: Buffer, type: string, headers: Record<string, string>): Promise<Kept> {
  return keptAs(await inEncodings(body), type, headers)
}

/** Returns a reply from bodies that are already compressed. */
export const keptAs = (bodies: Kept['bodies'], type: string, headers: Record<string, string>): Kept => ({
  type,
  headers: { ...headers, etag: `"${sha256(bodies.identity).toString('base64url')}"`, vary: 'Origin, Accept-Encoding' },
  bodies,
})

/** Compresses a body in all encodings. */
export async function inEncodings(body: Buffer): Promise<Kept['bodies']> {
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(body),
  ])
  return { br, gzip: gzipped, identity: body }
}

/** Sends a reply in the best encoding that the client accepts, or 304. */
export function sendKept(request: FastifyRequest, reply: FastifyReply, { type, headers, bodies }: Kept) {
  reply.headers(headers)
  if (namesEtag(request.headers['if-none-match'], headers.etag!)) return reply.code(304).send()
  const encoding = negotiate(request.headers['accept-encoding'] ?? '', [...ENCODINGS]) as keyof Kept['bodies'] | null
  if (encoding && encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(type).send(bodies[encoding ?? 'identity'])
}
