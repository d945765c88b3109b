/** Headers with raw bytes that are no UTF-8, as old programs send them: read by the message's own charset before the library takes them for UTF-8. */
import { isUtf8 } from 'node:buffer'
import { readerOf } from '../messages/decoding.ts'

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

/** What is told of a message, in UTF-8; the contents of its parts as they are. */
export function inUtf8<T extends Response>(response: T): T {
  const { payload, literals } = response
  if (!payload.includes('ENVELOPE') || [payload, ...literals].every((bytes) => isUtf8(bytes))) return response
  const text = payload.toString('latin1')
  const reader = readerOf(CHARSET.exec(text)?.[1] ?? '')
  const read = (bytes: Buffer) => (isUtf8(bytes) ? bytes : Buffer.from(reader(bytes)))
  const quoted = text.replace(QUOTED, (one, inside: string, end: string) =>
    !end || isUtf8(Buffer.from(inside, 'latin1')) ? one : quotedAgain(read(unescaped(inside))),
  )
  const before = [...text.matchAll(LITERAL)].map((match) => match[1]!)
  return {
    ...response,
    payload: Buffer.from(quoted, 'latin1'),
    literals: literals.map((literal, n) => (CONTENT.test(before[n] ?? '') ? literal : read(literal))),
  }
}
