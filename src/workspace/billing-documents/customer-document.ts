/**
 * A quotation, an estimate or a contract as the customer sees it: the whole document and nothing else of the workspace. The PDF
 * and the page of an acceptance link are rendered from it, and signatures cover its canonical text.
 */
import { z } from 'zod'
import { date, exact, formatted, money } from '#kernel/values/fields.ts'
import { TaxShare } from './tax-breakdown.ts'

const html = () => formatted('html').nullable()
const Party = z.object({
  name: z.string(),
  lines: z
    .array(z.string())
    .meta({ description: 'Lines of an address as they are printed.', examples: [['Hafenstraße 4', '20457 Hamburg']] }),
})

const CustomerLine = z
  .object({
    name: z.string(),
    sku: z.string().nullable(),
    body: html(),
    quantity: exact('quantity'),
    unit_price: money(),
    discount_amount: money(),
    tax_rate: exact('percentage'),
    line_total: money().meta({ description: 'After discount, before tax.' }),
  })
  .meta({ id: 'CustomerDocumentLine' })

export const CustomerDocument = z
  .object({
    type: z.enum(['quotation', 'estimate', 'contract']).describe('Which kind of document it is.'),
    number: z.string(),
    title: z.string(),
    issuer: Party.describe('The firm: its name and what is printed below it.'),
    recipient: Party.nullable().describe('Whom it is for: name and address as printed; null: nobody in particular.'),
    currency: formatted('currency'),
    issued_on: date().nullable().describe('Day on which it was issued.'),
    valid_until: date().nullable().describe('Last day on which it can be accepted; null: no end.'),
    starts_on: date().nullable().describe('First day of a contract; null otherwise.'),
    ends_on: date().nullable().describe('Last day of a contract; null: open, or no contract.'),
    body: html(),
    lines: z.array(CustomerLine),
    /** Null if its kind has no lines. */
    subtotal: money().nullable(),
    discount_total: money().nullable(),
    tax_total: money().nullable(),
    tax_breakdown: z.array(TaxShare),
    total: money().nullable(),
    value: money()
      .nullable()
      .meta({ description: 'What a contract is worth; null otherwise.', examples: [12000] }),
    notes: html(),
    terms_and_conditions: html(),
  })
  .meta({ id: 'CustomerDocument' })
export type CustomerDocument = z.output<typeof CustomerDocument>
