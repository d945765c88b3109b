/**
 * Compresses JSON replies for clients that accept it. The length of a compressed reply can reveal a secret next to
 * attacker-controlled text (BREACH), but only if the attacker can make a browser send the request; such requests carry no bearer
 * token. Pages (authenticated by cookie) and files (requested in ranges) aren't compressed. The console's are an exception: they
 * are compressed if its own pages or a direct navigation request them.
 */
import { constants } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import compress, { type FastifyCompressRouteOptions } from '@fastify/compress'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Route } from './route.ts'

/** Minimum size in bytes for compression. */
const THRESHOLD = 1024

const OPTIONS = {
  threshold: THRESHOLD,
  encodings: ['br', 'gzip', 'identity'],
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, // quality 4 is as fast as gzip, and smaller
  zlibOptions: { level: 5 },
} satisfies FastifyCompressRouteOptions['compress']

/** Request bodies aren't decompressed: a small body could expand to a large one. */
export const compressReplies = (app: FastifyInstance) =>
  app.register(compress, { ...OPTIONS, global: false, globalDecompression: false })

/** Returns the compression options of a route: only JSON envelopes are compressed. */
export const compressionOf = ({ spec }: Route) => (spec.answer || spec.file ? false : OPTIONS)

/** Returns the encoding for JSON of this length; undefined if it is sent uncompressed. */
export function compressedEncoding({ headers }: FastifyRequest, length: number): string | undefined {
  if (length < THRESHOLD || headers['x-no-compression'] !== undefined) return undefined
  const encoding = negotiate(headers['accept-encoding'] ?? '', OPTIONS.encodings)
  return encoding && encoding !== 'identity' ? encoding : undefined
}
