/** Finds the text parts and the attachments of a message in its BODYSTRUCTURE. */
import type { MessageStructureObject } from 'imapflow'
import type { Attachment } from './schema.ts'

/** A text part in its transfer encoding and charset; the charset is empty if none is declared. */
export interface TextPart {
  part: string
  mime: 'text/plain' | 'text/html'
  charset: string
  encoding: string
  flowed: boolean
}

const MAX_TEXTS = 20
export const MAX_FILES = 200
/** Maximum depth of nested multiparts, and maximum parts of any kind that are visited. */
const MAX_DEPTH = 50
const MAX_PARTS = 10_000
/** Maximum characters of a charset's or encoding's name. */
const MAX_TOKEN = 100

/** Returns the text parts and attachments of a message. */
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

/**
 * Yields the nodes without parts, in order. A message within the message is one of them. Parts that are nested too deep are
 * skipped.
 */
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

/** Drops folders, so that saving a file by its name can't lead to another folder. */
const withoutFolders = (name: string) => name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)

/** Returns a file of a message as an attachment. `n` is used in the name of a file without one. */
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

/** Name of a file without one; by its type, if the user needs the extension to open it. */
function unnamed(mime: string, n: number): string {
  if (mime === 'message/rfc822') return `message-${n}.eml`
  return `attachment-${n}${EXTENSIONS[mime] ?? ''}`
}
const EXTENSIONS: Record<string, string> = { 'text/calendar': '.ics', 'text/vcard': '.vcf', 'application/pdf': '.pdf' }

/**
 * Returns the beginning of an untrusted text as one line that the database accepts, with control characters replaced by spaces
 * and trimmed.
 */
export const cleanText = (text: string, most: number) =>
  text
    .slice(0, 10 * most)
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
