/** The e-invoice inside a PDF (Factur-X, ZUGFeRD, XRechnung): the XML that is attached to it. */
import { getDocumentProxy } from 'unpdf'
import { Unreadable } from './invoice-data.ts'

/** As the formats name it; another XML is taken where it is the only one. */
const NAMES = new Set(['factur-x.xml', 'zugferd-invoice.xml', 'xrechnung.xml'])

/** Throws an Unreadable where there is no PDF, no XML in it, or more than one that may be meant. */
export async function xmlInPdf(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes))
    const attached = [...((await pdf.getAttachments()) ?? [])].map(([id, { filename }]) => ({ id, name: filename.toLowerCase() }))
    const content = await pdf.getAttachmentContent(meant(attached))
    if (!content?.length) throw new Unreadable('Is a PDF whose e-invoice is empty.')
    return content
  } catch (error) {
    if (error instanceof Unreadable) throw error
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    throw new Unreadable(isLocked ? 'Is a PDF with a password; send one without.' : 'Is no PDF that can be read.')
  }
}

function meant(attached: { id: string; name: string }[]): string {
  const xml = attached.filter(({ name }) => name.endsWith('.xml'))
  const known = xml.filter(({ name }) => NAMES.has(name))
  const [one, another] = known.length ? known : xml
  if (!one)
    throw new Unreadable('Is a PDF without an e-invoice in it: nothing that is attached to it is XML. Enter it as an expense.')
  if (another) throw new Unreadable('Is a PDF with more than one e-invoice in it.')
  return one.id
}
