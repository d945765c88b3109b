/**
 * Compresses JSON replies for clients that take it. A secret beside text that an attacker chose could be guessed from the lengths of compressed
 * replies (BREACH), but only of requests that the attacker can have a browser send: those carry no bearer token. Pages, which know visitors
 * by a cookie, and files, which are asked for in ranges, stay as they are, but for the console's where its own pages or a person's address line ask.
 */
import { constants } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import compress, { type FastifyCompressRouteOptions } from '@fastify/compress'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Route } from './route.ts'

/** Bytes from which it pays. */
const THRESHOLD = 1024

const OPTIONS = {
  threshold: THRESHOLD,
  encodings: ['br', 'gzip', 'identity'],
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, // as quick as gzip, and smaller
  zlibOptions: { level: 5 },
} satisfies FastifyCompressRouteOptions['compress']

/** Requests aren't expanded: a small body would become a large one. */
export const compressReplies = (app: FastifyInstance) =>
  app.register(compress, { ...OPTIONS, global: false, globalDecompression: false })

/** How a route's replies are compressed: those that are JSON of ours. */
export const compressionOf = ({ spec }: Route) => (spec.answer || spec.file ? false : OPTIONS)

/** Returns the encoding in which JSON of this length is sent; undefined where it goes out as it is. */
export function compressedEncoding({ headers }: FastifyRequest, length: number): string | undefined {
  if (length < THRESHOLD || headers['x-no-compression'] !== undefined) return undefined
  const encoding = negotiate(headers['accept-encoding'] ?? '', OPTIONS.encodings)
  return encoding && encoding !== 'identity' ? encoding : undefined
}
