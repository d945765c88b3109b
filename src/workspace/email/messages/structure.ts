/** What a message consists of, by its BODYSTRUCTURE: the parts that are its text, and its attachments. */
import type { MessageStructureObject } from 'imapflow'
import type { Attachment } from './schema.ts'

/** A part that holds text, as the server has it: encoded, in its charset, which is empty where none is declared. */
export interface TextPart {
  part: string
  mime: 'text/plain' | 'text/html'
  charset: string
  encoding: string
  flowed: boolean
}

const MAX_TEXTS = 20
export const MAX_FILES = 200
/** Multiparts within each other, and parts of any kind that are looked at. */
const MAX_DEPTH = 50
const MAX_PARTS = 10_000
/** Names of charsets and encodings, in characters. */
const MAX_TOKEN = 100

export function partsOf(structure: MessageStructureObject | undefined): { texts: TextPart[]; files: Attachment[] } {
  const texts: TextPart[] = []
  const files: Attachment[] = []
  for (const leaf of leavesOf(structure)) {
    if (texts.length === MAX_TEXTS && files.length === MAX_FILES) break
    const name = leaf.dispositionParameters?.filename ?? leaf.parameters?.name
    const isText = (leaf.type === 'text/plain' || leaf.type === 'text/html') && leaf.disposition !== 'attachment' && !name
    if (isText && texts.length < MAX_TEXTS) texts.push(textPart(leaf))
    else if (files.length < MAX_FILES) files.push(attachment(leaf, name, files.length + 1))
  }
  return { texts, files }
}

/** The nodes without parts, in their order. A message within the message is one of them. What is nested too deep is left out. */
function* leavesOf(root: MessageStructureObject | undefined): Generator<MessageStructureObject> {
  const open = root ? [{ node: root, depth: 0 }] : []
  for (let count = 0; open.length && count < MAX_PARTS; count++) {
    const { node, depth } = open.pop()!
    const children = node.type === 'message/rfc822' ? [] : (node.childNodes ?? [])
    if (!children.length && !node.type?.startsWith('multipart/')) yield node
    if (depth < MAX_DEPTH) for (const child of children.toReversed()) open.push({ node: child, depth: depth + 1 })
  }
}

const textPart = ({ part = '1', type, parameters = {}, encoding = '7bit' }: MessageStructureObject): TextPart => ({
  part,
  mime: type as TextPart['mime'],
  charset: String(parameters.charset ?? '').slice(0, MAX_TOKEN),
  encoding: encoding.slice(0, MAX_TOKEN),
  flowed: String(parameters.format ?? '').toLowerCase() === 'flowed',
})

function attachment(node: MessageStructureObject, name: string | undefined, n: number): Attachment {
  const { part = '1', type = '', encoding = '', size = 0, disposition, id } = node
  return attachmentOf({
    ...{ id: part, name: name ?? '', type, n },
    size: encoding.toLowerCase() === 'base64' ? Math.round((size * 57) / 78) : size, // 57 bytes make a line of 78
    contentId: id ?? '',
    isInline: disposition === 'inline' || (disposition !== 'attachment' && Boolean(id)),
  })
}

/** Whoever saves a file by its name must not be led to another folder. */
const withoutFolders = (name: string) => name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)

/** What a message says of a file, as we show it. `n` names those without a name. */
export function attachmentOf(file: {
  id: string
  name: string
  type: string
  size: number
  contentId: string
  isInline: boolean
  n: number
}): Attachment {
  const mime =
    file.type.length <= 255 && /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type.toLowerCase() : 'application/octet-stream'
  return {
    id: file.id,
    name: cleanText(withoutFolders(file.name), 255) || unnamed(mime, file.n),
    mime,
    size_bytes: file.size,
    is_inline: file.isInline,
    content_id: file.contentId ? cleanText(file.contentId.replace(/^<|>$/g, ''), 255) : null,
  }
}

/** What a file without a name is called: by its type, where whoever saves it needs its extension to open it. */
function unnamed(mime: string, n: number): string {
  if (mime === 'message/rfc822') return `message-${n}.eml`
  return `attachment-${n}${EXTENSIONS[mime] ?? ''}`
}
const EXTENSIONS: Record<string, string> = { 'text/calendar': '.ics', 'text/vcard': '.vcf', 'application/pdf': '.pdf' }

/** A text from outside in one line, as the database takes it: its beginning, of which spaces and control characters are left out. */
export const cleanText = (text: string, most: number) =>
  text
    .slice(0, 10 * most)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
