/** Multipart bodies: text fields are collected, files are streamed to storage. Only a few chunks are held in memory. */
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../context.ts'
import { badRequest, type FieldErrors, HttpError } from '../errors.ts'
import { discardUnused, mostBytes, payloadTooLarge, receiveUpload, type Upload, type UploadRule } from '../storage/uploads.ts'
import { notUtf8, REPLACEMENT, wrongCharset } from './bodies.ts'

/** File fields that a route accepts. */
export type UploadRules = Record<string, UploadRule>

/** Parsed body: texts as a plain object, the stored files, and errors of rejected files by field. */
export interface Received {
  body: unknown
  files: Record<string, Upload>
  wrongFiles: FieldErrors
}

const MAX_TEXT_BYTES = 1024 * 1024
const MAX_FIELDS = 1000

/** The limits are passed with each read. */
export const acceptMultipart = (app: FastifyInstance) => app.register(multipart)

/** Wraps a handler: uploads are deleted when it ends, unless a committed transaction has taken them over. */
export function discardingUploads<T>(
  services: Services,
  handle: (request: FastifyRequest, reply: FastifyReply, uploads: Upload[]) => Promise<T>,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const uploads: Upload[] = []
    try {
      return await handle(request, reply, uploads)
    } finally {
      await discardUnused(services, uploads)
    }
  }
}

/**
 * Reads the body of a request and its files; each stored file is added to `uploads`. Throws 415 for multipart where a route
 * accepts no files.
 */
export async function receive(
  services: Services,
  request: FastifyRequest,
  rules: UploadRules | undefined,
  tenantId: number,
  uploads: Upload[],
): Promise<Received> {
  if (!request.isMultipart?.()) return { body: request.body, files: {}, wrongFiles: {} }
  if (!rules) throw new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', 'This route takes application/json.')
  const wrong = wrongCharset(request.headers['content-type'])
  if (wrong) throw wrong
  const most = Object.values(rules).reduce((sum, rule) => sum + mostBytes(rule), MAX_TEXT_BYTES)
  if (Number(request.headers['content-length'] ?? 0) > most) throw payloadTooLarge()

  const texts = new Map<string, unknown>()
  const files: Record<string, Upload> = {}
  const wrongFiles: FieldErrors = {}
  const names = Object.keys(rules)
  const limits = {
    files: names.length + 1,
    fields: MAX_FIELDS,
    parts: MAX_FIELDS,
    fieldSize: MAX_TEXT_BYTES,
    fileSize: Infinity,
  }
  let textBytes = 0
  try {
    for await (const part of readable(request.parts({ limits, throwFileSizeLimit: false } as object))) {
      if (part.type === 'field') {
        textBytes += Buffer.byteLength(typeof part.value === 'string' ? part.value : JSON.stringify(part.value))
        if (part.valueTruncated || textBytes > MAX_TEXT_BYTES)
          throw new HttpError(413, 'PAYLOAD_TOO_LARGE', 'The texts of the body are too large.')
        if (`${part.fieldname} ${part.value}`.includes(REPLACEMENT)) throw notUtf8(part.fieldname)
        addText(texts, part.fieldname, part.value)
        continue
      }
      const { fieldname, filename = '', file } = part
      const rule = names.includes(fieldname) ? rules[fieldname]! : undefined
      if (!rule || fieldname in files) {
        file.destroy()
        throw badRequest(rule ? `Send one file as ${fieldname}.` : `This route takes no file named ${fieldname}.`)
      }
      const result = await receiveUpload(services, tenantId, { name: filename, content: readable(file) }, rule)
      if (typeof result === 'object') uploads.push((files[fieldname] = result))
      // A form sends a file without name and content if the user chose none.
      else if (filename || file.bytesRead) wrongFiles[fieldname] = [result]
    }
  } catch (error) {
    // Reads and discards the rest of the body, so that the client receives the reply.
    request.raw.unpipe().resume()
    throw error
  }
  texts.delete('_method') // forms send `_method` to mean PUT; routing already happened
  return { body: Object.fromEntries(texts), files, wrongFiles }
}

/**
 * Adds a text field. A list is sent as `role[]`, as `role[0]`, or by repeating `role`; an empty `role[]` creates an empty list. A
 * single `role` is a text, which a schema may accept as a list of one.
 */
function addText(texts: Map<string, unknown>, field: string, value: unknown) {
  const [, name = field, index] = /^(.+)\[(\d*)\]$/.exec(field) ?? []
  if (index === undefined && !texts.has(name)) return texts.set(name, value)
  const before = [texts.get(name) ?? []].flat()
  texts.set(name, value === '' ? before : [...before, value])
}

/** Passes the parts of a body on. Turns errors of malformed or aborted multipart into a 400, or a 413. */
async function* readable<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    const { statusCode, message } = error as { statusCode?: number; message: string }
    if (statusCode === 413) throw new HttpError(413, 'PAYLOAD_TOO_LARGE', message)
    throw badRequest(`The multipart body can't be read: ${message}`)
  }
}
