/** Reads the texts of a message, which are untrusted: pure functions for a child process that may fail. */
import { plainOf, sanitizeLong } from '#kernel/values/html.ts'
import { decodeText } from './decoding.ts'
import { harmlessHtml } from './display.ts'
import { textOfRtf } from './rtf.ts'
import { MAX_FILES, type TextPart } from './structure.ts'
import { readTnef, type Tnef } from './tnef.ts'

/** Maximum characters and lines of all parts of one kind; a longer text is cut and marked as clipped. */
const MAX_LENGTH = 1_000_000
const MAX_LINES = 50_000
/** Maximum characters once sanitised: some tags become longer by it. */
const MAX_CLEAN = 2_000_000
const CLIPPED = '[Message clipped]'

export interface Body {
  body_html: string
  body_text: string
}

/** A part in its transfer encoding; `isCut` if the server has more of it. */
export interface EncodedPart {
  part: TextPart
  bytes: Uint8Array
  isCut: boolean
}

/** Returns the sanitised HTML and the plain text of a message's parts. */
export function readBody(parts: EncodedPart[]): Body {
  return bodyOf(textOf(parts, 'text/html', '<hr>'), textOf(parts, 'text/plain', '\n\n'))
}

interface Text {
  text: string
  isCut: boolean
}

/** Joins one part after another until the limit is reached. */
function textOf(parts: EncodedPart[], mime: TextPart['mime'], between: string): Text {
  const texts: string[] = []
  let length = 0
  let isCut = false
  for (const { part, bytes, isCut: isPartCut } of parts) {
    if (part.mime !== mime) continue
    isCut ||= isPartCut || length > MAX_LENGTH
    if (length > MAX_LENGTH) break
    const text = decodeText(part, bytes, isPartCut)
    texts.push(text)
    length += text.length
  }
  return { text: texts.join(between), isCut }
}

function bodyOf(html: Text, text: Text): Body {
  const [rich, plain] = [clipped(html), clipped({ ...text, text: text.text.trim() })]
  const shown = cleanOf(rich.text)
  const isCut = rich.isCut || shown.isCut
  return {
    body_html: isCut ? `${shown.text}<p>${CLIPPED}</p>` : shown.text,
    body_text: plain.text ? noted(plain) : noted({ text: plainOf(sanitizeLong(rich.text)), isCut }),
  }
}

const noted = ({ text, isCut }: Text) => (isCut ? `${text}\n\n${CLIPPED}` : text)

function clipped({ text, isCut }: Text): Text {
  let end = 0
  for (let lines = 0; lines < MAX_LINES && end >= 0; lines++) end = text.indexOf('\n', end + 1)
  const most = Math.min(end < 0 ? text.length : end, MAX_LENGTH)
  return most < text.length ? { text: text.slice(0, most).toWellFormed(), isCut: true } : { text, isCut }
}

/** Sanitises as much of the HTML as stays within the limit. */
function cleanOf(html: string): Text {
  for (let most = html.length; ; most = Math.floor(most / 2)) {
    const text = harmlessHtml({ html: html.slice(0, most), images: 'wait' })
    if (text.length <= MAX_CLEAN) return { text, isCut: most < html.length }
  }
}

/** A file in a winmail.dat, without its content. */
export interface PackedFile {
  name: string
  mime: string
  contentId: string
  size: number
}

/** Reads Outlook's winmail.dat; undefined if it can't be parsed. Texts are cut like those of parts. */
export function readWinmail(bytes: Uint8Array): { files: PackedFile[]; body: Body } | undefined {
  const tnef = readTnef(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (!tnef) return undefined
  const files = tnef.files.slice(0, MAX_FILES)
  return {
    files: files.map(({ name, mime, contentId, content }) => ({ name, mime, contentId, size: content.length })),
    body: bodyOf({ text: tnef.html ?? '', isCut: false }, { text: plainTextOf(tnef), isCut: false }),
  }
}

const plainTextOf = ({ text, html, rtf }: Tnef) => text || (rtf && !html ? textOfRtf(rtf) : '')

/** Returns the content of one of its files. */
export const fileOfWinmail = ({ bytes, n }: { bytes: Uint8Array; n: number }): Uint8Array | undefined =>
  readTnef(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))?.files[n]?.content
