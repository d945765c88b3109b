/** A file as somebody sent it, read as an e-invoice. Runs in a child process. */
import { readXml, type XmlElement, XmlError } from '#kernel/values/xml-reading.ts'
import { fromCii } from './cii.ts'
import { type InvoiceData, type Problem, Unreadable, Values } from './invoice-data.ts'
import { xmlInPdf } from './pdf.ts'
import { problemsOf } from './rules.ts'
import { fromUbl } from './ubl.ts'

/** What is read of one; `wrong` says in words why it can't be. */
export type ReadFile = { invoice: InvoiceData; problems: Problem[] } | { wrong: string }

/** Bytes of XML; within a PDF, once it is unpacked. */
const MAX_XML = 20 * 1024 * 1024
const MAX_NUMBER = 200
const MAX_LINES = 5000
/** Of allowances, charges, taxes, notes, means of payment, attachments, each. */
const MAX_OTHERS = 200

export async function readInvoice({ content, isPdf }: { content: Uint8Array; isPdf: boolean }): Promise<ReadFile> {
  try {
    const xml = isPdf ? await xmlInPdf(content) : content
    if (xml.length > MAX_XML) throw new Unreadable('Holds more XML than is read.')
    const root = readXml(xml)
    const values = new Values()
    const invoice = readerOf(root)(root, values)
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
    invoice.seller.ids,
    invoice.buyer.ids,
    ...lines.map(({ adjustments }) => adjustments),
  ]
  if (lists.some(({ length }) => length > MAX_OTHERS)) throw new Unreadable(`Has more than ${MAX_OTHERS} entries of a kind.`)
}
