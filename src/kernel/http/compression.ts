/**
 * Compresses JSON and the files of the API reference for clients that take it. A secret beside text that an attacker chose could be guessed
 * from the lengths of compressed replies (BREACH), but only of requests that the attacker can have a browser send: those carry no bearer
 * token. Pages, which know visitors by a cookie, stay as they are.
 */
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** Bytes from which it pays. */
const THRESHOLD = 1024

export const compressReplies = (app: FastifyInstance) =>
  app.register(compress, {
    global: true,
    globalDecompression: false, // of requests: a small body would become a large one
    threshold: THRESHOLD,
    customTypes: /^(application\/(json|javascript)|text\/(javascript|css))\b/,
    encodings: ['br', 'gzip', 'identity'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, // as quick as gzip, and smaller
    zlibOptions: { level: 5 },
  })
