/** Reads an untrusted file as an e-invoice. Runs in a child process. */
import { readXml, type XmlElement, XmlError } from '#kernel/values/xml-reading.ts'
import { BYTES, CSV, KNOWN_TYPES } from './attachment-types.ts'
import { filesIn } from './attachments.ts'
import { fromCii } from './cii.ts'
import { type InvoiceData, type Problem, Unreadable, Values } from './invoice-data.ts'
import { contentsOfPdf, otherFileOfPdf } from './pdf.ts'
import { problemsOf } from './rules.ts'
import { fromUbl } from './ubl.ts'

/** Result of reading a file; `wrong` is the reason why it can't be read. */
export type ReadFile = { invoice: InvoiceData; problems: Problem[] } | { wrong: string }

/** Maximum bytes of XML; inside a PDF, once decompressed. */
const MAX_XML = 20 * 1024 * 1024
const MAX_NUMBER = 200
const MAX_LINES = 5000
/** Maximum allowances, charges, taxes, notes, means of payment and attachments, each. */
const MAX_OTHERS = 200

interface Sent {
  content: Uint8Array
  isPdf: boolean
}

/** Reads an e-invoice; returns `wrong` instead of throwing if the file can't be read as one. */
export async function readInvoice({ content, isPdf }: Sent): Promise<ReadFile> {
  try {
    const { xml, others } = isPdf ? await contentsOfPdf(content) : { xml: content, others: [] }
    const root = documentIn(xml)
    const values = new Values()
    const invoice = readerOf(root)(root, values)
    for (const name of others)
      invoice.attached_files.push({ name: name.slice(-255).toWellFormed(), description: null, media_type: null })
    refuseMany(invoice)
    if (invoice.number.length > MAX_NUMBER) throw new Unreadable(`Has a number of more than ${MAX_NUMBER} characters.`)
    if (!/^[A-Z]{3}$/.test(invoice.currency)) throw new Unreadable('Has no currency (BT-5) that can be read.')
    if (!invoice.seller.name) throw new Unreadable('Has no seller (BT-27).')
    return { invoice, problems: [...values.problems, ...problemsOf(invoice)].slice(0, 100) }
  } catch (error) {
    if (error instanceof Unreadable) return { wrong: error.message }
    if (error instanceof XmlError) return { wrong: `Is no XML that can be read. ${error.message}` }
    throw error
  }
}

/** Result for a file inside an e-invoice that was read before, by its index in `attached_files`. */
export type ReadAttachment = { name: string; type: string; content: Uint8Array } | { wrong: string }

export async function readAttachment({ content, isPdf, place }: Sent & { place: number }): Promise<ReadAttachment> {
  const { xml } = isPdf ? await contentsOfPdf(content) : { xml: content }
  const held = filesIn(documentIn(xml))
  const file = held[place]
    ? { name: held[place].name, content: held[place].content() }
    : isPdf && (await otherFileOfPdf(content, place - held.length))
  if (!file) return { wrong: 'There is no such attachment.' }
  if (file.content.length > MAX_ATTACHMENT) return { wrong: 'The attachment is larger than 20 MB.' }
  return { name: file.name, type: await typeOf(file), content: file.content }
}
const MAX_ATTACHMENT = 20 * 1024 * 1024

/** Determines the type by the first bytes, never by the sender's declaration. */
async function typeOf({ name, content }: { name: string; content: Uint8Array }): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type')
  const sniffed = (await fileTypeFromBuffer(content))?.mime
  if (sniffed) return KNOWN_TYPES.includes(sniffed) ? sniffed : BYTES
  return name.toLowerCase().endsWith('.csv') && !content.includes(0) ? CSV : BYTES
}

/** Returns the document's root, or the document inside its envelope (UN/CEFACT SBDH, used by Peppol). */
function documentIn(xml: Uint8Array): XmlElement {
  if (xml.length > MAX_XML) throw new Unreadable('Holds more XML than is read.')
  const root = readXml(xml)
  if (root.name !== 'StandardBusinessDocument') return root
  const documents = root.children.filter(({ name }) => name !== 'StandardBusinessDocumentHeader')
  if (documents.length !== 1)
    throw new Unreadable(`Is an envelope (SBDH) with ${documents.length || 'no'} documents in it; send one invoice at a time.`)
  return documents[0]!
}

const UBL = 'urn:oasis:names:specification:ubl:schema:xsd:'
const CII = 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100'

function readerOf({ name, namespace }: XmlElement): (root: XmlElement, values: Values) => InvoiceData {
  if (name === 'CrossIndustryInvoice' && namespace === CII) return fromCii
  if ((name === 'Invoice' || name === 'CreditNote') && namespace === `${UBL}${name}-2`) return fromUbl
  const isOld = name === 'CrossIndustryDocument'
  const what = isOld ? 'ZUGFeRD 1.0, which came before the standard' : `<${name.slice(0, 60)}>`
  throw new Unreadable(
    `Is ${what}; what is read are invoices and credit notes in UBL 2.1 and in CII (D16B), as EN 16931 has them.`,
  )
}

function refuseMany({ lines, ...invoice }: InvoiceData) {
  if (lines.length > MAX_LINES) throw new Unreadable(`Has more than ${MAX_LINES} lines.`)
  const others = [invoice.adjustments, invoice.taxes, invoice.notes, invoice.payment.means, invoice.attachments]
  const lists = [
    ...others,
    invoice.preceding_invoices,
    invoice.attached_files,
    invoice.third_party_payments,
    invoice.seller.ids,
    invoice.buyer.ids,
    ...lines.map(({ adjustments }) => adjustments),
  ]
  if (lists.some(({ length }) => length > MAX_OTHERS)) throw new Unreadable(`Has more than ${MAX_OTHERS} entries of a kind.`)
}
