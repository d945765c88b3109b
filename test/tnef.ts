/** Creates a winmail.dat as Outlook does. */
interface Contents {
  files?: { name: string; mime?: string; content: Buffer }[]
  text?: string
  html?: string
  /** A text is wrapped uncompressed; bytes are used as they are. */
  rtf?: string | Buffer
}

export function tnefOf({ files = [], text, html, rtf }: Contents): Buffer {
  const plainRtf = typeof rtf === 'string' ? rtfOf(rtf) : rtf
  const message = [
    [0x3fde, 0x0003, numbers(65001)],
    [0x8005, 0x0003, Buffer.concat([Buffer.alloc(16), numbers(0, 0x8501, 7)])], // a named property
    [0x0039, 0x0040, Buffer.alloc(8)],
    ...(text === undefined ? [] : [[0x1000, 0x001f, sized(utf16(text))]]),
    ...(html === undefined ? [] : [[0x1013, 0x0102, sized(Buffer.from(html))]]),
    ...(plainRtf === undefined ? [] : [[0x1009, 0x0102, sized(plainRtf)]]),
  ] as Property[]
  return Buffer.concat([
    numbers(0x223e9f78),
    Buffer.from([1, 0]),
    attribute(1, 0x9007, numbers(1252, 0)),
    attribute(1, 0x9003, properties(message)),
    ...files.flatMap(({ name, mime, content }) => [
      attribute(2, 0x9002, Buffer.alloc(14)),
      attribute(2, 0x8010, Buffer.from('SHORT~1.DAT\0', 'latin1')),
      attribute(2, 0x800f, content),
      attribute(
        2,
        0x9005,
        properties([
          [0x3707, 0x001f, sized(utf16(name))],
          ...(mime ? [[0x370e, 0x001e, sized(Buffer.from(mime))] as Property] : []),
        ]),
      ),
    ]),
  ])
}

type Property = [id: number, type: number, value: Buffer]

const properties = (all: Property[]) =>
  Buffer.concat([numbers(all.length), ...all.flatMap(([id, type, value]) => [numbers(id * 0x10000 + type), value])])

/** Level, id, length, content, checksum. */
function attribute(level: number, id: number, content: Buffer) {
  const sum = Buffer.alloc(2)
  sum.writeUInt16LE(content.reduce((total, byte) => (total + byte) & 0xffff, 0))
  return Buffer.concat([Buffer.from([level]), numbers(id, content.length), content, sum])
}

/** Encodes one value with its length, padded to four bytes. */
const sized = (bytes: Buffer) => Buffer.concat([numbers(1, bytes.length), bytes, Buffer.alloc(-bytes.length & 3)])

const utf16 = (text: string) => Buffer.from(`${text}\0`, 'utf16le')

const rtfOf = (rtf: string) => Buffer.concat([numbers(rtf.length + 12, rtf.length, 0x414c454d, 0), Buffer.from(rtf, 'latin1')])

function numbers(...all: number[]) {
  const bytes = Buffer.alloc(all.length * 4)
  for (const [n, one] of all.entries()) bytes.writeUInt32LE(one, n * 4)
  return bytes
}
