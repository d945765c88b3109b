/** Parser of form bodies. They are read completely, within the route's limit, before they are parsed. */
import { isUtf8 } from 'node:buffer'
import { badRequest, HttpError } from '#kernel/errors.ts'
import { wrongCharset } from '#kernel/http/bodies.ts'

const MAX_FIELDS = 1000
const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

/** Fields that may have several values; of other fields the first value counts. */
const LISTS = new Set(['tag_ids'])

/**
 * Returns the text fields of a form by name, or undefined for a body of another type. Parses JSON even with the type of a form,
 * as command-line clients send it. Ignores files. 400 for more than 1000 fields and for invalid text, 415 for a type that
 * contradicts the bytes.
 */
export async function formIn(raw: Buffer, contentType = ''): Promise<Map<string, unknown> | undefined> {
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  if (type === MULTIPART) return textsOf(await multipartOf(raw, contentType))
  if (type !== URLENCODED || isJsonObject(raw)) return undefined
  const wrong = wrongCharset(contentType)
  if (wrong) throw wrong
  return textsOf(urlencodedOf(raw))
}

/** A real form would encode the brace. */
const isJsonObject = (raw: Buffer) => /^\s*\{/.test(raw.toString('latin1', 0, 100))

function urlencodedOf(raw: Buffer): Iterable<[string, string | File]> {
  const text = raw.toString('utf8')
  try {
    if (!isUtf8(raw)) throw new URIError()
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    throw badRequest('The body must be a form in UTF-8.')
  }
  return new URLSearchParams(text)
}

async function multipartOf(raw: Buffer, contentType: string): Promise<Iterable<[string, string | File]>> {
  try {
    return await new Response(new Uint8Array(raw), { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body is not the form that its Content-Type names.')
  }
}

function textsOf(fields: Iterable<[string, string | File]>): Map<string, unknown> {
  const texts = new Map<string, unknown>()
  let count = 0
  for (const [sent, value] of fields) {
    if (++count > MAX_FIELDS) throw badRequest(`A form must have at most ${MAX_FIELDS} fields.`)
    if (typeof value !== 'string') continue
    if (`${sent}${value}`.includes('\ufffd')) throw badRequest('The body must be a form in UTF-8.')
    const name = sent.replace(/\[\]$/, '')
    if (LISTS.has(name)) {
      const ids = (texts.get(name) as unknown[] | undefined) ?? []
      if (value.trim() !== '') ids.push(/^\d{1,15}$/.test(value.trim()) ? Number(value) : value)
      texts.set(name, ids)
    } else if (!texts.has(sent)) texts.set(sent, value)
  }
  return texts
}
