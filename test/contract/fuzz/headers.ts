/** Mutations of headers, including content types and credentials. */
import { type Kind, plain } from './plain.ts'

const HEADERS: [string, string[]][] = [
  ['idempotency-key', ['', 'x', 'x'.repeat(255), 'x'.repeat(256), '\u00ff', "' OR 1=1", '%00', '🔑'].map(latin)],
  ['if-match', ['', '*', '"0-0"', 'W/"1-1"', '"1-1", "1-2"', '"', 'x'.repeat(5000), '"1--1"', '"a-b"']],
  ['if-match', ['"9999999999999999999-1"', '"1-99999999999999999999"']],
  ['if-none-match', ['*', '"x"', 'W/"x"', ',,,']],
  ['range', ['bytes=0-0', 'bytes=-1', 'bytes=5-1', 'bytes=0-99999999999999999999', 'bytes=a-b', 'lines=1-2']],
  ['range', ['bytes=999999999-', `bytes=${'0-0,'.repeat(1000)}0-0`]],
  ['accept-language', ['*', 'xx-YY;q=9', 'de,'.repeat(1000), '../../x', '__proto__']],
  ['accept', ['text/html', 'x', '*/*;q=0', 'application/xml']],
  ['accept-encoding', ['gzip', 'br;q=1.0, *;q=0', 'x']],
  ['x-forwarded-for', ['1.2.3.4', '::1', 'x', '1.2.3.4,'.repeat(500), '::ffff:127.0.0.1%eth0', "'"]],
  ['x-forwarded-host', ['evil.test', 'a\tb', ':', 'x'.repeat(3000)]],
  ['x-forwarded-proto', ['javascript', 'https,http', '']],
  ['host', ['evil.test', '', ':', '[::1', 'a b', 'x'.repeat(3000), 'localhost:99999', '%00']],
  ['x-request-id', ['', 'x'.repeat(101), '<script>', '../..']],
  ['user-agent', ['', 'x'.repeat(9000), '<script>alert(1)</script>', '\u00ff']],
  ['origin', ['null', 'https://evil.test', 'x']],
  ['cookie', ['session=1', '=', '__proto__=1; x', 'a=%']],
  ['content-length', ['0', '1', '-1', '99999999', 'x']],
  ['transfer-encoding', ['chunked', 'gzip, chunked', 'identity', 'x']],
  ['content-encoding', ['gzip', 'br', 'x']],
  ['expect', ['100-continue', 'x']],
  ['upgrade', ['websocket', 'h2c']],
  ['x-http-method-override', ['DELETE']],
]

function latin(text: string) {
  return Buffer.from(text, 'utf8').toString('latin1')
}

export const header: Kind = (request, random) => {
  const attack = plain(request)
  const told: string[] = []
  for (let n = random.one([1, 1, 2]); n > 0; n--) {
    const [name, values] = random.one(HEADERS)
    attack.headers[name] = random.one(values)
    told.push(`${name}: ${attack.headers[name]!.slice(0, 60)}`)
  }
  return { ...attack, what: told.join(', ') }
}

const TOKENS = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  'Bearer 1|x',
  'Bearer 99999999999999999999|x',
  'Basic eDp4',
  'bearer null',
  `Bearer ${'x'.repeat(8000)}`,
  "Bearer 1|' OR 1=1",
  'Bearer 1|\u00ff',
  'Bearer 1||',
  'Bearer 0x1|x',
]

export const token: Kind = (request, random) => {
  const attack = plain(request)
  attack.headers.authorization = random.one(TOKENS)
  return { ...attack, what: `authorization: ${attack.headers.authorization.slice(0, 60)}` }
}
