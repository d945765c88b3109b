/** Extracts the e-invoice inside a PDF (Factur-X, ZUGFeRD, XRechnung): its XML, and its other attachments. */
import { getDocumentProxy } from 'unpdf'
import { Unreadable } from './invoice-data.ts'

/**
 * Names by format, the newer ones before the one shared by ZUGFeRD 1 and 2.0; an XML with another name is accepted if it is the
 * only one.
 */
const NAMES = [['factur-x.xml', 'xrechnung.xml'], ['zugferd-invoice.xml']]

export interface PdfContents {
  xml: Uint8Array
  /** Names of the other attachments of the PDF. */
  others: string[]
}

/** Throws an Unreadable if the file isn't a PDF, or contains no XML or several candidates. */
export const contentsOfPdf = (bytes: Uint8Array): Promise<PdfContents> =>
  opened(bytes, async ({ attached, read }) => {
    const invoice = invoiceAmong(attached)
    return { xml: await read(invoice.id), others: attached.flatMap((one) => (one === invoice ? [] : one.name)) }
  })

/** Returns one of the other files by its index; undefined if there is none. */
export const otherFileOfPdf = (bytes: Uint8Array, place: number): Promise<{ name: string; content: Uint8Array } | undefined> =>
  opened(bytes, async ({ attached, read }) => {
    const invoice = invoiceAmong(attached)
    const file = attached.filter((one) => one !== invoice)[place]
    return file && { name: file.name, content: await read(file.id) }
  })

interface Attached {
  id: string
  name: string
}
interface OpenPdf {
  attached: Attached[]
  /** Throws an Unreadable if the file is empty. */
  read(id: string): Promise<Uint8Array>
}

async function opened<T>(bytes: Uint8Array, use: (pdf: OpenPdf) => Promise<T>): Promise<T> {
  try {
    const pdf = await getDocumentProxy(new Uint8Array(bytes))
    const attached = [...((await pdf.getAttachments()) ?? [])].map(([id, { filename }]) => ({ id, name: filename }))
    return await use({
      attached,
      async read(id) {
        const content = await pdf.getAttachmentContent(id)
        if (!content?.length) throw new Unreadable('Is a PDF whose e-invoice is empty.')
        return content
      },
    })
  } catch (error) {
    if (error instanceof Unreadable) throw error
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    throw new Unreadable(isLocked ? 'Is a PDF with a password; send one without.' : 'Is no PDF that can be read.')
  }
}

function invoiceAmong(attached: Attached[]): Attached {
  const xml = attached.filter(({ name }) => name.toLowerCase().endsWith('.xml'))
  const [one, another] =
    NAMES.map((names) => xml.filter(({ name }) => names.includes(name.toLowerCase()))).find(({ length }) => length) ?? xml
  if (!one)
    throw new Unreadable('Is a PDF without an e-invoice in it: nothing that is attached to it is XML. Enter it as an expense.')
  if (another) throw new Unreadable('Is a PDF with more than one e-invoice in it.')
  return one
}
