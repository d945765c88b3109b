/**
 * Converts headers to UTF-8 before the library reads them: raw bytes by the message's own charset, and encoded words (RFC 2047),
 * for which the library has its own tables. So headers are decoded like bodies.
 */
import { isUtf8 } from 'node:buffer'
import { decodeHeader, hasEncodedWords } from '../messages/encoded-words.ts'

/** A response of the server: its text, in which `{7}` is the place of the next literal. */
interface Response {
  payload: Buffer
  literals: Buffer[]
}

/** Also matches an unclosed string: its text is checked right afterwards. */
const QUOTED = /"((?:[^"\\\r\n]|\\.)*)("?)/g
const LITERAL = /(.?.?)\{\d+\+?\}\r?\n/gs
/** End of `BODY[…]`, or `BODY[…]<0>`, before the content of a part, which is not text yet. */
const CONTENT = /[\]>] /
const CHARSET = /"charset" "([^"\\]{1,40})"/i

const unescaped = (text: string) => Buffer.from(text.replace(/\\(.)/gs, '$1'), 'latin1')
/**
 * Quotes a decoded text again. A backslash may be half a character, and the text may contain quotes and line ends: none of them
 * may end the string.
 */
const quotedAgain = (read: Buffer) =>
  `"${read
    .toString('latin1')
    .replace(/[\r\n\0]/g, ' ')
    .replace(/["\\]/g, '\\$&')}"`

/** Limits of a text before and after decoding: lists show less. */
const MAX_TEXT = 1 << 16
const MAX_READ = 20_000

/** Message-IDs are excluded, because they are compared with other headers unchanged. */
const isWritten = (text: string) => (!isUtf8(Buffer.from(text, 'latin1')) || hasEncodedWords(text)) && !text.startsWith('<')

/** Converts the envelope and structure of a message to UTF-8 without encoded words; leaves the contents of parts unchanged. */
export function inUtf8<T extends Response>(response: T): T {
  const { payload, literals } = response
  if (!payload.includes('ENVELOPE')) return response
  if ([payload, ...literals].every((bytes) => isUtf8(bytes) && !bytes.includes('=?'))) return response
  const text = payload.toString('latin1')
  const charset = CHARSET.exec(text)?.[1] ?? ''
  const read = (bytes: string) => Buffer.from(decodeHeader(bytes.slice(0, MAX_TEXT), charset).slice(0, MAX_READ).toWellFormed())
  const quoted = text.replace(QUOTED, (one, inside: string, end: string) => {
    if (!end || !/[\x80-\xff]|=\?/.test(inside)) return one
    const plain = unescaped(inside).toString('latin1')
    return isWritten(plain) ? quotedAgain(read(plain)) : one
  })
  const before = [...text.matchAll(LITERAL)].map((match) => match[1]!)
  return {
    ...response,
    payload: Buffer.from(quoted, 'latin1'),
    literals: literals.map((literal, n) => {
      if (CONTENT.test(before[n] ?? '')) return literal
      const plain = literal.toString('latin1')
      return isWritten(plain) ? read(plain) : literal
    }),
  }
}
