/**
 * Published sample e-invoices of others are read completely, and no false problems are reported. Each total is compared with the
 * one that a second reader, in this file, finds. No sample is copied into this repository: `.ci/run samples` fetches these
 * repositories at these commits, each into the folder `owner+name` in the one that E_INVOICE_SAMPLES names:
 *
 *   ConnectingEurope/eInvoicing-EN16931    b6c9e06a59812fb1a83585da40923b3678a649ad
 *   itplr-kosit/xrechnung-testsuite        5528afafa9968eb67840da3ced0caf15f8d90a7a
 *   ZUGFeRD/corpus                         47b61beb29b7de98c3c91cdb3657415c0ede783b
 *   ZUGFeRD/mustangproject                 096db40a9806b0b5202028509dff3563efe7fc8c
 *   akretion/factur-x                      5edb9af9186e5f06f446372688e6fdbbd0b790d3
 *   OCA/edi                                94addaf1df233ce418a6cb8c2001d705e341c558
 */
// CI stage: samples
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { DomUtils, parseDocument } from 'htmlparser2'
import { getDocumentProxy } from 'unpdf'
import { readInvoice } from './read-invoice.ts'

const folder = process.env.E_INVOICE_SAMPLES ?? ''
const skip = existsSync(folder) ? false : 'SKIPPED: E_INVOICE_SAMPLES names no folder with the public samples'

/** Invalid samples with the rules that the official validators report as well. */
const WRONG: Record<string, string[]> = {
  'EN16931_1_Teilrechnung.ubl.xml': ['PEPPOL-EN16931-R120'],
  'EN16931_Kraftfahrversicherung_Bruttopreise.ubl.xml': ['PEPPOL-EN16931-R120'],
  'EN16931_Sachversicherung_berechneter_Steuersatz.ubl.xml': ['PEPPOL-EN16931-R120'],
  'BT-128.ubl.xml': ['PEPPOL-EN16931-R120', 'BR-CO-10', 'BR-CO-15'],
  'eicar.cii.xml': ['BR-09', 'BR-11'],
  'eicar.ubl.xml': ['BR-09', 'BR-11'],
  'line-total-4-decimals.xml': ['BR-DEC-23'],
  'efff_BE0505890632_160421_Inv_16117778.xml': ['BR-23', 'BR-48', 'BR-CO-04'],
  'periods.ubl.xml': ['BR-49'],
  'ubl-creditnote.xml': ['BR-01', 'BR-04', 'BR-CO-15', 'BR-CO-16', 'BR-CL-17'],
  'UBL-CreditNote-2.1-Example.ubl.xml': ['BR-01', 'BR-04', 'BR-CO-15', 'BR-CO-16', 'BR-CL-17'],
  'validZREtestZugferd.xml': ['BR-CO-26'],
  'valid_with_VAT_O.xml': ['BR-CO-26'],
  'ZUGFeRD2_EXTENDED_Warenrechnung.xml': [
    ...['BR-21', 'BR-25', 'BR-FXEXT-BR-22', 'BR-FXEXT-BR-23', 'BR-FXEXT-BR-24', 'BR-FXEXT-BR-26', 'BR-FXEXT-CO-04'],
  ],
}
/** UBL from before EN 16931, without the totals that it requires. */
const EARLIER = new Set(['UBLInvoice-multitankcard-line_adjust.xml'])
/** Samples that are meant to be rejected or to break rules, by the names that their publishers give them. */
const isBroken = (path: string) => /\/fail\/|invalid|not_validating|corrupt|FAIL_/.test(path)

type Document = ReturnType<typeof parseDocument>
const local = (name: string) => name.split(':').at(-1)!
const found = (document: Document, name: string) =>
  DomUtils.getElementsByTagName((tag) => local(tag) === name, document, true).map((node) => DomUtils.textContent(node).trim())
const rootOf = (document: Document) =>
  document.children.find((node) => 'attribs' in node) as { name: string; attribs: Record<string, string> } | undefined

/** Whether an XML claims to be a current e-invoice; the others are schemas, test sets, orders and ZUGFeRD 1. */
function isInvoice(document: Document): boolean {
  const root = rootOf(document)
  if (!root) return false
  if (local(root.name) === 'CrossIndustryInvoice') return true
  return (
    /^(Invoice|CreditNote)$/.test(local(root.name)) &&
    Object.values(root.attribs).some((uri) => uri.startsWith('urn:oasis:names:specification:ubl:schema:xsd:'))
  )
}

/** Returns the XML with the usual name in a PDF. */
async function xmlOf(content: Buffer): Promise<string | undefined> {
  try {
    const pdf = await getDocumentProxy(new Uint8Array(content))
    const attached = [...((await pdf.getAttachments()) ?? [])]
    const [id] =
      attached.find(([, { filename }]) => /^(factur-x|xrechnung)\.xml$/i.test(filename)) ??
      attached.find(([, { filename }]) => filename === 'zugferd-invoice.xml') ??
      []
    return id && Buffer.from((await pdf.getAttachmentContent(id)) ?? []).toString()
  } catch {
    return undefined
  }
}

const summation = (document: Document) => {
  const [sums] = DomUtils.getElementsByTagName(
    (tag) => /^(SpecifiedTradeSettlementHeaderMonetarySummation|LegalMonetaryTotal)$/.test(local(tag)),
    document,
    true,
  )
  const amount = (...names: string[]) => {
    const [node] = sums ? DomUtils.getElementsByTagName((tag) => names.includes(local(tag)), sums, true) : []
    return node ? Number(DomUtils.textContent(node)) + 0 : null
  }
  return {
    lines: amount('LineTotalAmount', 'LineExtensionAmount'),
    allowances: amount('AllowanceTotalAmount'),
    charges: amount('ChargeTotalAmount'),
    net: amount('TaxBasisTotalAmount', 'TaxExclusiveAmount'),
    total: amount('GrandTotalAmount', 'TaxInclusiveAmount'),
    prepaid: amount('TotalPrepaidAmount', 'PrepaidAmount'),
    rounding: amount('RoundingAmount', 'PayableRoundingAmount'),
    due: amount('DuePayableAmount', 'PayableAmount'),
  }
}

describe('public e-invoices', { skip }, () => {
  it('are read whole, each total as another reader finds it, without a false problem or refusal', async (t) => {
    let [read, broken] = [0, 0]
    for (const path of globSync('**/*.{xml,XML,pdf,PDF}', { cwd: folder }).sort()) {
      if (basename(path).startsWith('Large_Invoice_sample')) continue // larger than the limit
      const content = readFileSync(join(folder, path))
      const isPdf = content.subarray(0, 1024).includes('%PDF-')
      const xml = isPdf ? await xmlOf(content) : content.toString()
      const document = xml && parseDocument(xml, { xmlMode: true })
      if (!document || !isInvoice(document) || EARLIER.has(basename(path))) continue
      const outcome = await readInvoice({ content, isPdf })
      if (isBroken(path)) {
        broken++
        continue
      }
      if ('wrong' in outcome) assert.fail(`${path}: ${outcome.wrong}`)
      read++
      const { invoice, problems } = outcome
      assert.deepEqual([...new Set(problems.map(({ rule }) => rule))].sort(), (WRONG[basename(path)] ?? []).toSorted(), path)
      const { tax: _, ...totals } = invoice.totals
      assert.deepEqual(totals, summation(document), path)
      const lines = found(document, 'IncludedSupplyChainTradeLineItem').length + found(document, 'InvoiceLine').length
      const more = found(document, 'CreditNoteLine').length + found(document, 'SubInvoiceLine').length
      assert.equal(invoice.lines.length, lines + more, path)
    }
    t.diagnostic(`${read} invoices read, ${broken} broken on purpose`)
    assert.ok(read >= 300, `only ${read} invoices below ${folder}`)
  })
})
