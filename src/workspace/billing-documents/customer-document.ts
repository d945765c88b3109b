/**
 * What a customer is shown of a quotation, an estimate or a contract: the whole document and nothing else of the workspace. The PDF
 * is drawn from it, the page behind an acceptance link is made of it, and a signature is put to its canonical text.
 */
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { date, exact, formatted, money } from '#kernel/values/fields.ts'
import { brandingOf } from './branding.ts'
import { customerOf } from './customer.ts'

const html = () => formatted('html').nullable()
const Party = z.object({ name: z.string(), lines: z.array(z.string()) })

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
    type: z.enum(['quotation', 'estimate', 'contract']),
    number: z.string(),
    title: z.string(),
    issuer: Party,
    recipient: Party.nullable(),
    currency: formatted('currency'),
    issued_on: date().nullable(),
    valid_until: date().nullable(),
    starts_on: date().nullable(),
    ends_on: date().nullable(),
    body: html(),
    lines: z.array(CustomerLine),
    /** Null where it has no lines by its kind. */
    subtotal: money().nullable(),
    discount_total: money().nullable(),
    tax_total: money().nullable(),
    total: money().nullable(),
    value: money().nullable(),
    notes: html(),
    terms_and_conditions: html(),
  })
  .meta({ id: 'CustomerDocument' })
export type CustomerDocument = z.output<typeof CustomerDocument>

type Own = Omit<CustomerDocument, 'type' | 'issuer' | 'recipient' | 'lines'>
type DetailLine = Omit<CustomerDocument['lines'][number], 'sku'> & { product: { sku: string } | null }
/** A detail view, as `resource.read` gives it. */
type Detail = Pick<Own, 'number' | 'title' | 'currency' | 'issued_on'> &
  Partial<Own> & { contact_id: number | null; company_id: number | null; lines?: DetailLine[] }

/** The document as it stands. */
export async function customerDocument(ctx: Ctx, type: CustomerDocument['type'], detail: Detail): Promise<CustomerDocument> {
  const { branding } = await brandingOf(ctx)
  const { number, title, currency, issued_on, lines = [] } = detail
  return {
    type,
    ...{ number, title, currency, issued_on },
    issuer: branding.issuer,
    recipient: (await customerOf(ctx, detail)).printed,
    valid_until: detail.valid_until ?? null,
    starts_on: detail.starts_on ?? null,
    ends_on: detail.ends_on ?? null,
    body: detail.body ?? null,
    lines: lines.map(({ name, product, body, quantity, unit_price, discount_amount, tax_rate, line_total }) => ({
      ...{ name, sku: product?.sku ?? null, body, quantity, unit_price, discount_amount, tax_rate, line_total },
    })),
    subtotal: detail.subtotal ?? null,
    discount_total: detail.discount_total ?? null,
    tax_total: detail.tax_total ?? null,
    total: detail.total ?? null,
    value: detail.value ?? null,
    notes: detail.notes ?? null,
    terms_and_conditions: detail.terms_and_conditions ?? null,
  }
}
