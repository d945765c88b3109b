/**
 * Generated e-invoices conform to the official rules, and `check` reports the same problems as these. Skipped if the rules aren't
 * available. E_INVOICES sets how many random invoices are generated. Each is tried in every format, and each broken one is
 * compared with the official rules.
 */
// CI stage: einvoices
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { schematron, withoutRules } from '#test/schematron.ts'
import { computeTotals } from '#workspace/billing-documents/public.ts'
import { problemsOf } from './check.ts'
import { cii } from './cii.ts'
import type { Profile } from './profiles.ts'
import { type Billed, categoryOf, type EInvoice, type Parties, semanticsOf } from './semantics.ts'
import { ubl } from './ubl.ts'

const count = Number(process.env.E_INVOICES ?? 1000)
const options = withoutRules ? { skip: withoutRules } : {}

const syntaxes = { cii, ubl }
type Syntax = keyof typeof syntaxes
const rules = {
  cii: {
    en16931: schematron('en16931/EN16931-CII-validation.xslt'),
    xrechnung: schematron('xrechnung/XRechnung-CII-validation.sch'),
    peppol: schematron('peppol-bis-3/PEPPOL-EN16931-CII.sch'),
  },
  ubl: {
    en16931: schematron('en16931/EN16931-UBL-validation.xslt'),
    xrechnung: schematron('xrechnung/XRechnung-UBL-validation.sch'),
    peppol: schematron('peppol-bis-3/PEPPOL-EN16931-UBL.sch'),
  },
}
const FORMATS: [Syntax, Profile][] = [
  ['cii', 'en16931'],
  ['ubl', 'en16931'],
  ['ubl', 'xrechnung'],
  ['ubl', 'peppol'],
  ['cii', 'xrechnung'],
  ['cii', 'peppol'],
]

/** Returns the official rules of a profile that an invoice breaks. */
const broken = (invoice: EInvoice, syntax: Syntax, profile: Profile) =>
  rules[syntax][profile](syntaxes[syntax](invoice, profile)).filter(({ flag }) => flag === 'fatal')
const told = (failed: { id: string; text: string }[]) => failed.map(({ id, text }) => `${id} ${text.slice(0, 200)}`)

const seller = {
  ...{ company_name: 'Weinhandel', legal_name: 'Weinhandel Süd GmbH', company_address: '', company_phone: '', company_email: '' },
  ...{
    street: 'Hafenstraße 4',
    postcode: '20457',
    city: 'Hamburg',
    country: 'DE',
    vat_id: 'DE123456789',
    tax_number: '27/123/45678',
  },
  ...{ iban: 'DE89370400440532013000', bic: 'COBADEFFXXX', einvoice_address: '9930:DE123456789' },
  ...{ contact_name: 'Ann Ash', contact_phone: '+49 40 123', contact_email: 'ann@wein.example' },
}
const buyer = {
  ...{ field: 'company' as const, name: 'Nordwind SARL', email: 'rechnung@nord.example', phone: null, address: null },
  ...{ street: '1 rue du Port', postcode: '33000', city: 'Bordeaux', country: 'FR', vat_id: 'FR12345678901' },
  ...{ einvoice_address: '0088:4012345000009', buyer_reference: '04011000-12345-03', contact_name: 'Zoé' },
}

type Line = Parameters<typeof computeTotals>[0][number] & Pick<Billed['lines'][number], 'tax_category' | 'tax_exemption_reason'>
interface Made {
  lines: (Line & { name: string; unit_code?: string; sku?: string })[]
  discount?: 'none' | 'percent' | 'fixed'
  rounding?: 'line' | 'document'
  currency?: string
  more?: Partial<Billed>
}

/** Returns a document in the form of a stored one's detail view. */
function billed({ lines, discount = 'none', rounding = 'line', currency = 'EUR', more }: Made): Billed {
  const priced = computeTotals(lines, { currency, tax_rounding: rounding, line_discount_type: discount })
  return {
    ...{ number: 'INV-00001', title: 'Delivery', currency, issue_date: '2026-11-20', due_date: '2026-12-20', ...priced.totals },
    ...{ delivery_date: '2026-11-18', delivery_period_start: null, delivery_period_end: null },
    ...{ buyer_reference: null, order_reference: 'PO-4711' },
    lines: priced.lines.map(({ discount: off, net, tax, ...line }) => ({
      ...{ body: '<p>As <b>talked</b> about.</p>', unit_code: 'C62', ...line },
      ...{ discount_amount: off, line_total: net, tax_amount: tax, product: line.sku ? { sku: line.sku } : null },
    })),
    ...more,
  }
}

const names = fc.oneof(
  fc.constantFrom('Wein & Käse <rot>', 'خدمات استشارية', 'ייעוץ', '设计', '“Fixe” \u0007Idee', '😀 Fest'),
  fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }).filter((text) => /[a-z]/i.test(text)),
)
const decimals = (most: number, places: number) =>
  fc.integer({ min: 0, max: most * 10 ** places }).map((n) => (n / 10 ** places).toFixed(places))
const taxed = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('19', '7', '5.5', '21', '0.5').map((tax_rate) => ({ tax_rate, tax_category: null })) },
  fc.constantFrom('Z', 'AE', 'K', 'G').map((tax_category) => ({ tax_rate: '0', tax_category })),
  fc.constant({ tax_rate: '0', tax_category: 'E', tax_exemption_reason: '§ 4 Nr. 21 UStG' }),
)
const outside = fc.constant({ tax_rate: '0', tax_category: 'O' })
const lineOf = (tax: fc.Arbitrary<object>) =>
  fc.record({
    name: names,
    quantity: decimals(500, 3).map((n) => (Number(n) ? n : '1')),
    unit_price: fc.oneof(decimals(2000, 2), decimals(3, 6)),
    discount_value: decimals(90, 2),
    tax,
    sku: fc.option(fc.constantFrom('W-1', 'K/2'), { nil: undefined }),
    unit_code: fc.constantFrom('C62', 'HUR', 'KGM', 'XBX'),
  })
const lines = (tax: fc.Arbitrary<object>) =>
  fc.oneof(
    { weight: 48, arbitrary: fc.array(lineOf(tax), { minLength: 1, maxLength: 6 }) },
    { weight: 6, arbitrary: fc.array(lineOf(tax), { minLength: 20, maxLength: 40 }) },
    { weight: 1, arbitrary: fc.array(lineOf(tax), { minLength: 200, maxLength: 200 }) },
  )
/** Notes and terms, including text that XRechnung and UBL would parse as code. */
const texts = fc
  .array(
    fc.oneof(
      names,
      fc.constantFrom(
        ...['#SKONTO#TAGE=14#PROZENT=2.00#', '#SKONTO#', ' \u00a0#SKONTO#TAGE=7', '#AAI#', 'a#123#', '#1\r\n2#', '\u0007#!#'],
        ...['x'.repeat(6000), '😀'.repeat(2501)],
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => `<pre>${all.map((one) => one.replace(/[<&]/g, '+')).join('\n')}</pre>`)
const documents = fc.record({
  lines: fc.oneof({ weight: 9, arbitrary: lines(taxed) }, { weight: 1, arbitrary: lines(outside) }),
  discount: fc.constantFrom('none' as const, 'percent' as const, 'fixed' as const),
  rounding: fc.constantFrom('line' as const, 'document' as const),
  currency: fc.constantFrom('EUR', 'EUR', 'USD', 'JPY'),
  kind: fc.constantFrom('invoice' as const, 'invoice' as const, 'credit note' as const),
  country: fc.constantFrom('DE', 'FR', 'AT', 'US', 'EG'),
  buyer: names,
  period: fc.boolean(),
  ...{ notes: fc.option(texts, { nil: null }), terms_and_conditions: fc.option(texts, { nil: null }) },
})
type Drawn = typeof documents extends fc.Arbitrary<infer T> ? T : never

function madeUp({ lines: drawn, discount, rounding, currency, kind, country, buyer: name, period, ...said }: Drawn): {
  document: Billed
  invoice: EInvoice
} {
  const off = (line: { quantity: string; unit_price: string; discount_value: string }) =>
    discount === 'fixed'
      ? Math.min(Number(line.discount_value), Math.floor(Number(line.quantity) * Number(line.unit_price))).toFixed(2)
      : line.discount_value
  const document = billed({
    ...{ discount, rounding, currency },
    lines: drawn.map(({ tax, ...line }) => ({
      ...(tax as Line),
      ...line,
      discount_value: off(line),
    })),
    more: {
      ...said,
      ...(period ? { delivery_date: null, delivery_period_start: '2026-11-01', delivery_period_end: '2026-11-30' } : {}),
      ...(kind === 'credit note' ? { corrects: { number: 'INV & <1>', issued_on: '2026-10-31' } } : {}),
    },
  })
  const words = {
    discount: 'Rabatt / خصم',
    notices: { AE: 'Steuerschuldnerschaft', K: 'Livraison intracommunautaire', G: 'Export', O: 'אינו חייב במע״מ' },
  }
  const parties = { seller, buyer: { ...buyer, name, country, einvoice_address: '0088:4012345000009' }, words }
  return { document, invoice: semanticsOf(document, kind, parties, '2026-11-20') }
}

describe('invoices that are made up', options, () => {
  it('break no rule in any format, where check says that they are ready', () => {
    fc.assert(
      fc.property(documents, (drawn) => {
        const { document, invoice } = madeUp(drawn)
        for (const [syntax, profile] of FORMATS) {
          if (problemsOf(document, invoice, profile).length) continue // rounding on each of 200 lines adds up
          assert.deepEqual(told(broken(invoice, syntax, profile)), [], `${syntax} ${profile}`)
        }
      }),
      { numRuns: count, seed: 16931, endOnFailure: true },
    )
  })
})

describe('each rule that check names', options, () => {
  const work = (more: object = {}) =>
    ({
      ...{ name: 'Work', quantity: '1', unit_price: '100', tax_rate: '19', tax_category: null, tax_exemption_reason: null },
      ...more,
    }) as Made['lines'][number]
  const free = (tax_category: string, more: object = {}) => work({ tax_rate: '0', tax_category, ...more })
  interface Case {
    lines?: Made['lines']
    more?: Partial<Billed>
    seller?: Partial<typeof seller>
    buyer?: Partial<Parties['buyer']> | null
    profile?: Profile
  }
  const unknown = { vat_id: '', tax_number: '' }
  const cases: [string, string, Case][] = [
    ['BR-16', 'lines', { lines: [] }],
    ['BR-09', 'settings.country', { seller: { country: '' } }],
    ['BR-07', 'company_id', { buyer: null }],
    ['BR-11', 'company.country', { buyer: { country: null } }],
    ['BR-CO-17', 'lines', { lines: Array.from({ length: 400 }, () => work({ unit_price: '0.07', tax_rate: '7' })) }],
    ['BR-E-10', 'lines.0.tax_exemption_reason', { lines: [free('E')] }],
    ['BR-S-02', 'settings.vat_id', { seller: unknown }],
    ['BR-Z-02', 'settings.vat_id', { seller: unknown, lines: [free('Z')] }],
    ['BR-E-02', 'settings.vat_id', { seller: unknown, lines: [free('E', { tax_exemption_reason: 'Art' })] }],
    ['BR-AE-02', 'settings.vat_id', { seller: unknown, lines: [free('AE')] }],
    ['BR-AE-02', 'company.vat_id', { buyer: { vat_id: null }, lines: [free('AE')] }],
    ['BR-IC-02', 'settings.vat_id', { seller: { vat_id: '' }, lines: [free('K')] }],
    ['BR-IC-02', 'company.vat_id', { buyer: { vat_id: null }, lines: [free('K')] }],
    ['BR-G-02', 'settings.vat_id', { seller: { vat_id: '' }, lines: [free('G')] }],
    ['BR-CO-26', 'settings.vat_id', { seller: unknown }],
    ['BR-CO-26', 'settings.tax_number', { seller: { tax_number: '' }, lines: [free('O')] }],
    ['BR-IC-11', 'delivery_date', { lines: [free('K')], more: { delivery_date: null } }],
    ...(['xrechnung', 'peppol'] as const).flatMap((profile): [string, string, Case][] => {
      const rule = (n: string) => (profile === 'xrechnung' ? `BR-DE-${n}` : `DE-R-${n.padStart(3, '0')}`)
      const german = (changed: Case): Case => ({ ...changed, profile, buyer: { country: 'DE', ...changed.buyer } })
      return [
        [rule('1'), 'settings.iban', german({ seller: { iban: '' } })],
        [rule('2'), 'settings.contact_name', german({ seller: { contact_name: '', contact_phone: '', contact_email: '' } })],
        [rule('3'), 'settings.city', german({ seller: { city: '' } })],
        [rule('4'), 'settings.postcode', german({ seller: { postcode: '' } })],
        [rule('5'), 'settings.contact_name', german({ seller: { contact_name: '' } })],
        [rule('6'), 'settings.contact_phone', german({ seller: { contact_phone: '' } })],
        [rule('7'), 'settings.contact_email', german({ seller: { contact_email: '' } })],
        [rule('8'), 'company.city', german({ buyer: { city: null } })],
        [rule('9'), 'company.postcode', german({ buyer: { postcode: null } })],
        [rule('15'), 'buyer_reference', german({ buyer: { buyer_reference: null } })],
      ]
    }),
    [
      'PEPPOL-EN16931-R003',
      'buyer_reference',
      { profile: 'peppol', buyer: { buyer_reference: null }, more: { order_reference: null } },
    ],
    ['PEPPOL-EN16931-R020', 'settings.einvoice_address', { profile: 'peppol', seller: { einvoice_address: '' } }],
    ['PEPPOL-EN16931-R010', 'company.einvoice_address', { profile: 'peppol', buyer: { einvoice_address: null, email: null } }],
    ['PEPPOL-EN16931-CL008', 'settings.einvoice_address', { profile: 'peppol', seller: { einvoice_address: 'a@b.example' } }],
    ['PEPPOL-EN16931-CL008', 'company.einvoice_address', { profile: 'peppol', buyer: { einvoice_address: 'a@b.example' } }],
  ]
  for (const [rule, field, changed] of cases)
    it(`is named before the official rules name it: ${rule} by ${field}${changed.profile ? `, ${changed.profile}` : ''}`, () => {
      const profile = changed.profile ?? 'en16931'
      const document = billed({ lines: changed.lines ?? [work()], more: changed.more })
      const parties = {
        seller: { ...seller, ...changed.seller },
        buyer: changed.buyer === null ? null : { ...buyer, ...changed.buyer },
      }
      const invoice = semanticsOf(document, 'invoice', parties, '2026-11-20')
      const problems = problemsOf(document, invoice, profile)
      assert.ok(
        problems.some((one) => one.rule === rule && one.field === field),
        JSON.stringify(problems),
      )
      const failed = [...broken(invoice, 'ubl', 'en16931'), ...broken(invoice, 'ubl', profile)].map(({ id }) => id)
      assert.ok(failed.includes(rule), `${rule} is not among ${failed}`)
    })

  it('is named for a line of which nobody said why it has no tax, since no rule can know it', () => {
    const document = billed({ lines: [work(), work({ tax_rate: '0' })] })
    const problems = problemsOf(document, semanticsOf(document, 'invoice', { seller, buyer }, '2026-11-20'), 'en16931')
    assert.deepEqual(
      problems.map(({ rule, field }) => [rule, field]),
      [['BR-CO-04', 'lines.1.tax_category']],
    )
    assert.equal(categoryOf(document.lines[1]!), 'Z')
  })
})
