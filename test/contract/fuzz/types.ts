/** Bodies of other types than the operation accepts, or than they declare. */
import { gzipSync } from 'node:zlib'
import { type Kind, plain } from './plain.ts'

/** A form with thousands of parts. */
const manyParts = () =>
  `${Array.from({ length: 3000 }, (_, n) => `--x\r\ncontent-disposition: form-data; name="f${n}"\r\n\r\n${n}\r\n`).join('')}--x--\r\n`
const part = (head: string, content = 'x') => `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`
const TYPES: [string, () => string | Buffer][] = [
  ['', () => '{}'],
  ['text/plain', () => '{}'],
  ['text/html', () => '<p>'],
  ['application/xml', () => '<a/>'],
  ['application/x-www-form-urlencoded', () => 'a=1&b[c]=2&__proto__=3'],
  ['application/json; charset=utf-16', () => Buffer.from('{}', 'utf16le')],
  ['application/json; charset=nonsense', () => '{}'],
  ['application/json;;;', () => '{}'],
  ['APPLICATION/JSON', () => '{}'],
  ['application/vnd.api+json', () => '{}'],
  ['application/merge-patch+json', () => '{}'],
  ['application/json', () => gzipSync('0'.repeat(10_000_000))],
  ['application/json', () => ''],
  ['application/json', () => '{"a":'],
  ['application/json', () => 'x'.repeat(1024 * 1024 + 1)],
  ['multipart/form-data', () => 'x'],
  ['multipart/form-data; boundary=x', () => ''],
  ['multipart/form-data; boundary=x', () => '--x--\r\n'],
  ['multipart/form-data; boundary=x', () => `${part('name="name"')}--x`],
  ['multipart/form-data; boundary=x', () => `${part('')}--x--\r\n`],
  ['multipart/form-data; boundary=x', () => `${part('name="__proto__"')}${part('name="constructor[]"')}--x--\r\n`],
  ['multipart/form-data; boundary=x', () => `${part('name="file"; filename="../../etc/passwd\0.png"')}--x--\r\n`],
  ['multipart/form-data; boundary=x', () => `${part('name="logo"; filename="x.svg"', '<svg onload="alert(1)"/>')}--x--\r\n`],
  ['multipart/form-data; boundary=x', () => `${part('name="name"', 'x'.repeat(1_100_000))}--x--\r\n`],
  ['multipart/form-data; boundary=x', manyParts],
  [`multipart/form-data; boundary=${'x'.repeat(300)}`, () => 'x'],
]

export const type: Kind = (request, random) => {
  const [name, payload] = random.one(TYPES)
  const attack = plain({ ...request, body: undefined }, `as ${name || 'nothing'}`)
  if (attack.method === 'GET') return undefined
  const { 'content-type': _, ...headers } = attack.headers
  return { ...attack, headers: { ...headers, ...(name ? { 'content-type': name } : {}) }, payload: payload() }
}
