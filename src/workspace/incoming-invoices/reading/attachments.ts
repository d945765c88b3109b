/** Documents inside an e-invoice (BG-24), embedded in its XML in base64. */
import { textAt, type XmlElement } from '#kernel/values/xml-reading.ts'
import type { AttachedFile } from './invoice-data.ts'

/** Elements that embed a file in UBL and in CII, in the whole document and in single lines. */
const HOLDERS = new Set(['EmbeddedDocumentBinaryObject', 'AttachmentBinaryObject'])
const MAX_NAME = 255

export interface HeldFile extends AttachedFile {
  /** The decoded bytes. */
  content(): Buffer
}

/** Returns all files in the XML, in document order. */
export function filesIn(root: XmlElement): HeldFile[] {
  const files: HeldFile[] = []
  const visit = (element: XmlElement, reference: XmlElement | undefined) => {
    if (HOLDERS.has(element.name) && /\S/.test(element.text)) files.push(heldFile(element, reference, files.length))
    // UBL has an Attachment element between the reference and the file.
    for (const child of element.children) visit(child, element.name === 'Attachment' ? reference : element)
  }
  visit(root, undefined)
  return files
}

function heldFile({ attributes, text }: XmlElement, reference: XmlElement | undefined, n: number): HeldFile {
  const named = attributes.filename?.trim() || textAt(reference, 'ID') || textAt(reference, 'IssuerAssignedID')
  const description = textAt(reference, 'DocumentDescription') ?? textAt(reference, 'Name')
  return {
    name: (named ?? `attachment-${n + 1}`).slice(-MAX_NAME).toWellFormed(),
    description: description?.slice(0, MAX_NAME).toWellFormed() ?? null,
    media_type: attributes.mimeCode?.trim().slice(0, MAX_NAME).toWellFormed() || null,
    content: () => Buffer.from(text, 'base64'),
  }
}
