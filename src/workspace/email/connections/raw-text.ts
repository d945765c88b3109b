/**
 * Texts of headers in UTF-8, before the library reads them: raw bytes by the message's own charset, and encoded words (RFC 2047), for which the library has
 * tables of its own. So headers are read as bodies are.
 */
import { isUtf8 } from 'node:buffer'
import { decodeHeader, hasEncodedWords } from '../messages/encoded-words.ts'

/** A response of the server: its text, in which `{7}` stands for the next literal. */
interface Response {
  payload: Buffer
  literals: Buffer[]
}

/** One that isn't closed is taken too: what stands in it is looked at once. */
const QUOTED = /"((?:[^"\\\r\n]|\\.)*)("?)/g
const LITERAL = /(.?.?)\{\d+\+?\}\r?\n/gs
/** Behind `BODY[…]`, or `BODY[…]<0>`: the content of a part, which is not text yet. */
const CONTENT = /[\]>] /
const CHARSET = /"charset" "([^"\\]{1,40})"/i

const unescaped = (text: string) => Buffer.from(text.replace(/\\(.)/gs, '$1'), 'latin1')
/** A backslash may be half a character, and what is read may have quotes and line ends of its own: none of it may end the text in which it stands. */
const quotedAgain = (read: Buffer) =>
  `"${read
    .toString('latin1')
    .replace(/[\r\n\0]/g, ' ')
    .replace(/["\\]/g, '\\$&')}"`

/** Of a text that is read, and of what it becomes: lists show less. */
const MAX_TEXT = 1 << 16
const MAX_READ = 20_000

/** Message-IDs are compared with those in other headers, as they stand. */
const isWritten = (text: string) => (!isUtf8(Buffer.from(text, 'latin1')) || hasEncodedWords(text)) && !text.startsWith('<')

/** The envelope and structure of a message in UTF-8, without encoded words; the contents of its parts as they are. */
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
