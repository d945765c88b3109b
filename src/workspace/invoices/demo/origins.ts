/** Demo origins of invoices: accepted quotations and estimates, and contracts. */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { insertTimeline } from '#kernel/demo/stories.ts'
import { computeTotals, type StoredOfferLine } from '#workspace/billing-documents/public.ts'
import type { Invoice } from '../invoices.ts'

type Line = Omit<StoredOfferLine, 'discount_value'> & { discount_value: string; discount: string; net: string; tax: string }
type Totals = Pick<Invoice, 'subtotal' | 'discount_total' | 'tax_total' | 'total'>

/** Data that an invoice takes from the document that it is created from. */
export interface Origin extends Pick<Invoice, 'title' | 'contact_id' | 'company_id' | 'line_discount_type' | 'tax_rounding'> {
  from: 'quotations' | 'estimates' | 'contracts'
  id: number
  lines: Line[]
  totals: Totals
}

interface Found extends Omit<Origin, 'from' | 'totals'>, Totals {
  updated_at: string
}

/** Returns three quarters of the accepted documents, each with a day shortly after its acceptance. */
export async function originsOf(ctx: Ctx, plan: Plan): Promise<{ day: number; origin: Origin }[]> {
  const { random, calendar } = plan
  const offers = [
    ...(await read(ctx, 'quotations', offered('quotation_lines', 'quotation_id'))),
    ...(await read(ctx, 'estimates', offered('estimate_lines', 'estimate_id'))),
  ]
  const contracts = await contractsOf(ctx)
  return [...offers, ...contracts].flatMap(({ updated_at, origin }) => {
    const day = calendar.dayOf(updated_at) + random.between(0.1, 4)
    return day < calendar.days && random.happens(0.75) ? [{ day, origin }] : []
  })
}

const offered = (lines: string, by: string) => sql`(
  select json_agg(json_build_object('product_id', l.product_id, 'name', l.name, 'body', l.body, 'quantity', l.quantity::text,
    'unit_price', l.unit_price::text, 'tax_rate', l.tax_rate::text, 'discount_value', l.discount_value::text, 'discount', l.discount::text,
    'net', l.net::text, 'tax', l.tax::text) order by l.sort_order)
  from ${sql.table(lines)} l where l.tenant_id = d.tenant_id and ${sql.ref(`l.${by}`)} = d.id)`

async function read(ctx: Ctx, from: 'quotations' | 'estimates', lines: RawBuilder<unknown>) {
  const { rows } = await sql<Found>`
    select d.id, d.title, d.contact_id, d.company_id, d.line_discount_type, d.tax_rounding, d.subtotal, d.discount_total, d.tax_total, d.total,
      d.updated_at, ${lines} as lines
    from ${sql.table(from)} d where d.tenant_id = ${ctx.tenant.id} and d.status = 'accepted' and d.deleted_at is null order by d.id`.execute(
    ctx.tx,
  )
  return rows.map(({ updated_at, subtotal, discount_total, tax_total, total, ...found }) => ({
    updated_at,
    origin: { ...found, from, totals: { subtotal, discount_total, tax_total, total } },
  }))
}

/** Contracts that are or were active: one line with title and value. */
async function contractsOf(ctx: Ctx) {
  const tax_rounding = await ctx.setting('tax_rounding')
  const { currency } = ctx.tenant
  const rows = await ctx
    .from('contracts')
    .select(['id', 'title', 'contact_id', 'company_id', 'value', 'updated_at'])
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ value, updated_at, ...contract }) => {
    const line = { product_id: null, name: contract.title, body: null, quantity: '1', tax_rate: '0', discount_value: '0' }
    const priced = computeTotals([{ ...line, unit_price: value ?? '0' }], { currency, tax_rounding })
    return {
      updated_at,
      origin: { ...contract, ...priced, from: 'contracts' as const, line_discount_type: 'none' as const, tax_rounding },
    }
  })
}

/** Links the documents to their invoices and writes it to their timelines. */
export async function noteOrigins(ctx: Ctx, made: { id: number; origin: Origin }[]) {
  for (const [from, group] of Map.groupBy(made, ({ origin }) => origin.from)) {
    const pairs = group.map(({ id, origin }) => ({ id: origin.id, invoice_id: id }))
    const { rows } = await sql<{ id: number; invoice_id: number; at: string; by: number }>`
      update ${sql.table(from)} d set converted_invoice_id = i.id, updated_at = i.created_at, revision = d.revision + 1
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as pair (id bigint, invoice_id bigint)
      join invoices i on i.tenant_id = ${ctx.tenant.id} and i.id = pair.invoice_id
      where d.tenant_id = ${ctx.tenant.id} and d.id = pair.id
      returning d.id, i.id as invoice_id, i.created_at as at, i.created_by as by`.execute(ctx.tx)
    const told = rows.map(({ invoice_id, ...entry }) => ({ ...entry, type: 'converted', properties: { invoice_id } }))
    await insertTimeline(ctx, from, told)
  }
}
