/** ENVELOPE and BODYSTRUCTURE of a message (RFC 3501), for the test IMAP server. */

/** A MIME node: its header fields, and the bytes below them. */
interface Node {
  fields: [name: string, value: string][]
  body: Buffer
}

function nodeOf(content: Buffer): Node {
  let end = content.indexOf('\r\n\r\n')
  if (end < 0) end = content.length
  const head = content
    .subarray(0, end)
    .toString('latin1')
    .replace(/\r\n[ \t]+/g, ' ')
  const fields = head.split('\r\n').flatMap((line): [string, string][] => {
    const [, name = '', value = ''] = /^([^\s:]+)\s*:\s*(.*)$/.exec(line) ?? []
    return name ? [[name, value]] : []
  })
  return { fields, body: content.subarray(Math.min(end + 4, content.length)) }
}

const field = ({ fields }: Node, name: string) => fields.find(([one]) => one.toLowerCase() === name)?.[1]

/** Returns the present ones of these header fields, unchanged. */
export const headersOf = (content: Buffer, names: string[]): string => {
  const wanted = names.map((name) => name.toLowerCase().replaceAll('"', ''))
  return nodeOf(content)
    .fields.flatMap(([name, value]) => (wanted.includes(name.toLowerCase()) ? [`${name}: ${value}\r\n`] : []))
    .join('')
}

export const quoted = (text: string | undefined) =>
  text === undefined ? 'NIL' : `"${text.replace(/[^\x20-\x7e\x80-\xff]/g, '?').replace(/["\\]/g, '\\$&')}"`

export function envelopeOf(content: Buffer): string {
  const node = nodeOf(content)
  const people = (name: string) => addresses(field(node, name))
  const from = people('from')
  const or = (name: string) => (field(node, name) ? people(name) : from)
  const others = ['to', 'cc', 'bcc'].map(people)
  const texts = ['in-reply-to', 'message-id'].map((name) => quoted(field(node, name)))
  const begin = [quoted(field(node, 'date')), quoted(field(node, 'subject')), from, or('sender'), or('reply-to')]
  return `(${[...begin, ...others, ...texts].join(' ')})`
}

function addresses(header: string | undefined) {
  if (!header) return 'NIL'
  // `Team: a@x.test, b@x.test;` is a group: its name, its members, and its end.
  const words = header.split(/,|(?<=[:;])|(?=;)/).filter((one) => one.trim())
  const all = words.map((one) => {
    if (one === ';') return '(NIL NIL NIL NIL)'
    if (one.endsWith(':')) return `(NIL NIL ${quoted(one.slice(0, -1).trim())} NIL)`
    const [, name, address = one.trim()] = /^\s*"?(.*?)"?\s*<([^<>]*)>\s*$/.exec(one) ?? []
    const [mailbox, host] = address.split('@')
    return `(${quoted(name || undefined)} NIL ${quoted(mailbox)} ${quoted(host)})`
  })
  return `(${all.join('')})`
}

/** `text/plain; charset=utf-8` → type and parameters. */
function typed(value: string | undefined) {
  const [type = '', ...rest] = (value ?? 'text/plain; charset=us-ascii').split(';')
  const parameters = rest.flatMap((one) => {
    const [, name, text = ''] = /^\s*([\w*-]+)\s*=\s*"?([^"]*)"?\s*$/.exec(one) ?? []
    return name ? [[name.toLowerCase(), text] as const] : []
  })
  return { type: type.trim().toLowerCase() || 'text/plain', parameters: new Map(parameters) }
}

function partsOf(node: Node): Node[] | undefined {
  const { type, parameters } = typed(field(node, 'content-type'))
  const boundary = parameters.get('boundary')
  if (!type.startsWith('multipart/') || !boundary) return undefined
  const text = node.body.toString('latin1')
  const pieces = `\r\n${text}`.split(`\r\n--${boundary}`).slice(1)
  return pieces
    .filter((piece) => !piece.startsWith('--'))
    .map((piece) => nodeOf(Buffer.from(piece.replace(/^\s*?\r\n/, ''), 'latin1')))
}

const list = (parameters: Map<string, string>) =>
  parameters.size ? `(${[...parameters].map(([name, value]) => `${quoted(name)} ${quoted(value)}`).join(' ')})` : 'NIL'

export const bodyStructureOf = (content: Buffer): string => structure(nodeOf(content))

function structure(node: Node): string {
  const { type, parameters } = typed(field(node, 'content-type'))
  const parts = partsOf(node)
  const [main = 'text', sub = 'plain'] = type.split('/')
  if (parts?.length) return `(${parts.map(structure).join('')} ${quoted(sub)} ${list(parameters)} NIL NIL NIL)`
  const disposition = field(node, 'content-disposition')
  const { type: kind, parameters: names } = typed(disposition)
  const begin = [
    main === 'multipart' ? '"text" "plain"' : `${quoted(main)} ${quoted(sub)}`,
    list(parameters),
    quoted(field(node, 'content-id')),
    'NIL',
  ]
  const size = [quoted(field(node, 'content-transfer-encoding') ?? '7bit'), node.body.length]
  const lines = node.body.toString('latin1').split('\r\n').length
  const more =
    type === 'message/rfc822'
      ? [envelopeOf(node.body), structure(nodeOf(node.body)), lines]
      : main === 'text' || main === 'multipart'
        ? [lines]
        : []
  return `(${[...begin, ...size, ...more, 'NIL', disposition ? `(${quoted(kind)} ${list(names)})` : 'NIL', 'NIL'].join(' ')})`
}

const found = new WeakMap<Buffer, Map<string, Buffer | undefined>>()

/**
 * Returns the bytes of part `1.2`, of the whole message or of its header; undefined where there is none. Cached, because large
 * ones are fetched in pieces.
 */
export function partOf(content: Buffer, name: string): Buffer | undefined {
  if (name === '') return content
  const known = found.get(content) ?? new Map<string, Buffer | undefined>()
  found.set(content, known)
  if (!known.has(name)) known.set(name, findPart(content, name))
  return known.get(name)
}

function findPart(content: Buffer, name: string): Buffer | undefined {
  const path = name.replace(/\.?(MIME|HEADER|TEXT)$/i, '')
  let node: Node | undefined = nodeOf(content)
  for (const step of path.split('.').filter(Boolean)) {
    const parts: Node[] | undefined = node && partsOf(node)
    node = parts ? parts[Number(step) - 1] : step === '1' ? node : undefined
  }
  if (!node) return undefined
  if (!/(MIME|HEADER)$/i.test(name)) return node.body
  return Buffer.from(`${node.fields.map(([one, value]) => `${one}: ${value}\r\n`).join('')}\r\n`, 'latin1')
}
