/** Files as replies: generated files are streamed; stored files are streamed with ranges and validators. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import parseRange from 'range-parser'
import type { Services } from '../context.ts'
import { HttpError, notFound } from '../errors.ts'
import { sha256 } from '../secrets/secrets.ts'
import type { ByteRange } from '../storage/files.ts'
import type { Storage } from '../storage/storage.ts'
import type { FileReply } from './answer.ts'
import { isHead } from './head.ts'
import { namesEtag } from './validators.ts'

type Headers = Record<string, string | number>

/** Sends a route's file: its `content` once the transaction has ended, or the stored file of its `key`. */
export async function sendFile({ storage }: Services, request: FastifyRequest, reply: FastifyReply, file: FileReply) {
  const headers = {
    'content-type': file.type,
    'content-disposition': contentDisposition(file.name, file.disposition),
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    ...file.headers,
  }
  if ('key' in file) return sendStored(storage, request, reply, file.key, headers)
  const content = isHead(request) ? undefined : await file.content()
  return reply.headers(headers).send(content)
}

/** RFC 6266: an ASCII name for old clients, and the full name (RFC 8187). */
function contentDisposition(name: string, disposition = 'attachment') {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** `GET /files/…`: files with signed links. Links without an expiry are for public pictures such as logos. */
export async function sendLinked({ storage, clock }: Services, request: FastifyRequest, reply: FastifyReply) {
  const key = (request.params as { '*': string })['*']
  const { s, e } = request.query as { s?: unknown; e?: unknown }
  const isText = typeof s === 'string' && (e === undefined || typeof e === 'string')
  if (!isText || !storage.opens(key, s, e, clock.now())) throw notFound('There is no such file.')
  const picture = pictures[key.slice(key.lastIndexOf('.') + 1)]
  return sendStored(storage, request, reply, key, {
    'content-type': picture ?? 'application/octet-stream',
    'cache-control': e === undefined ? 'public, max-age=31536000, immutable' : 'private, no-store',
    // Inline styles of an SVG are part of the picture.
    'content-security-policy': `default-src 'none';${picture === pictures.svg ? " style-src 'unsafe-inline';" : ''} sandbox`,
    ...(picture ? {} : { 'content-disposition': 'attachment' }),
  })
}

const pictures: Record<string, string> = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', svg: 'image/svg+xml' }

/**
 * Sends the whole file, or the single range requested (RFC 9110, 14); a request for several ranges gets the whole file. Answers
 * 304, 404 and 416 as needed.
 */
async function sendStored(storage: Storage, request: FastifyRequest, reply: FastifyReply, key: string, headers: Headers) {
  const size = await storage.size(key)
  if (size === undefined) throw notFound('There is no such file.')
  const etag = `"${sha256(key).toString('base64url')}"` // a key's content never changes
  if (namesEtag(request.headers['if-none-match'], etag))
    return reply
      .code(304)
      .headers({ ...headers, etag })
      .send()
  const isBodyless = isHead(request)
  const range = isBodyless ? undefined : rangeOf(request, etag, size)
  if (range === 'unsatisfiable') {
    const asked = { 'accept-ranges': 'bytes', 'content-range': `bytes */${size}` }
    throw new HttpError(416, 'RANGE_NOT_SATISFIABLE', `The file has ${size} bytes.`, { headers: asked })
  }
  const content = isBodyless ? undefined : await storage.read(key, range)
  if (!isBodyless && !content) throw notFound('There is no such file.')
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  const length = range ? range.end - range.start + 1 : size
  return reply.headers({ ...headers, 'accept-ranges': 'bytes', etag, 'content-length': length }).send(content)
}

function rangeOf({ headers }: FastifyRequest, etag: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const { range, 'if-range': ifRange } = headers
  if (!range || (ifRange !== undefined && ifRange !== etag)) return undefined
  const ranges = parseRange(size, range)
  if (ranges === -1) return 'unsatisfiable'
  return ranges !== -2 && ranges.type === 'bytes' && ranges.length === 1 ? ranges[0] : undefined
}
