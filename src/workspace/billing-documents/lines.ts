/** Lines of billing documents: input, storage and replies. Each kind of document has its own table of lines. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { joinById } from '#kernel/records/embed.ts'
import type { Children } from '#kernel/records/resource.ts'
import type { TableName } from '#kernel/records/view.ts'
import { computed } from '#kernel/records/view.ts'
import {
  decimal,
  exact,
  money,
  optionalRef,
  percentage,
  quantity,
  refId,
  signedUnitPrice,
  text,
  unitPrice,
} from '#kernel/values/fields.ts'
import { optionalHtml } from '#kernel/values/html.ts'
import { TAX_COLUMNS, taxInput, taxShown } from './line-taxes.ts'
import type { PricedLine } from './totals.ts'
import { PIECE } from './unit-codes.ts'

/** Input fields of every line. */
export const lineInput = {
  quantity: quantity(),
  unit_price: unitPrice(),
  tax_rate: percentage().default('0'),
  sort_order: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .meta({
      description: 'Place of the line, the smallest first. Unless sent: in the order in which they are sent.',
      examples: [0],
    }),
  product_id: optionalRef('product').meta({
    description:
      'Id of the product that the line is about; null: free text. Name and price are kept as they are sent, whatever becomes of the product.',
    examples: [3],
  }),
}

/** A line for customers (INV-22): stored as sent, never copied from the product (INV-25). */
export const OfferLineInput = z.object({
  ...lineInput,
  ...taxInput,
  unit_price: signedUnitPrice().meta({
    description:
      'Net price of one unit, with up to six decimals. Below 0 for a return or a deduction, as long as no tax rate of the document comes to less than 0; e-invoices write such a line with a negative quantity.',
    examples: [5],
  }),
  name: text(255),
  body: optionalHtml(),
  discount_value: decimal({ places: 4, min: 0, max: 99_999_999_999 }).nullish(),
})

/** Input of a document's lines: at most a thousand. */
export const linesOf = <S extends z.core.$ZodType>(line: S) => z.array(line).max(1000, 'Must be at most 1000 lines.').default([])

export type LineInput = PricedLine & { sort_order?: number; product_id?: number | null }

/** Table of the lines of a kind of document. */
export interface LineTable {
  table: TableName
  /** Column with the document's id. */
  by: string
  /** Columns in addition to the common ones. */
  columns: readonly string[]
}

/** Columns of lines for customers in addition to quantity, price and tax. */
export const OFFER_COLUMNS = ['name', 'body', 'discount_value', 'discount', ...TAX_COLUMNS]

export type StoredLine = LineInput & { net: string; tax: string; discount?: string }
/** A stored line for customers. */
export type StoredOfferLine = StoredLine & OfferLine
/** A line created by other modules: counted in pieces by default. */
export type OfferLine = Partial<z.output<typeof OfferLineInput>> & Omit<z.output<typeof OfferLineInput>, 'unit_code'>

/** Rows of lines, by default in the order in which they were sent. */
const rowsOf = ({ columns }: LineTable, lines: StoredLine[]) =>
  lines.map(({ quantity, unit_price, tax_rate, net, tax, product_id = null, sort_order, ...own }, n) => ({
    ...Object.fromEntries(columns.map((name) => [name, (own as Record<string, unknown>)[name] ?? null])),
    ...(columns.includes('discount_value') ? { discount_value: own.discount_value ?? '0' } : {}),
    ...(columns.includes('unit_code') ? { unit_code: (own as { unit_code?: string }).unit_code ?? PIECE } : {}),
    ...{ quantity, unit_price, tax_rate, net, tax, product_id },
    sort_order: sort_order ?? n,
  }))

/** Lines of a document, for `createRecord` and `replaceChildren`. */
export const childrenOf = (of: LineTable, lines: StoredLine[]): Children => ({
  field: 'lines',
  table: of.table,
  by: of.by,
  rows: rowsOf(of, lines),
})

/** Returns the stored lines as input: to recompute them, or to copy them to another document. */
export const storedLines = async <L extends StoredLine>(ctx: Ctx, of: LineTable, documentId: number): Promise<L[]> =>
  (await storedLinesOf<L>(ctx, of, [documentId]))(documentId)

/** Reads the stored lines of several documents in one query. Returns a function from an id to its lines. */
export async function storedLinesOf<L extends StoredLine>(ctx: Ctx, { table, by, columns }: LineTable, documentIds: number[]) {
  const names = ['quantity', 'unit_price', 'tax_rate', 'net', 'tax', 'sort_order', 'product_id', ...columns]
  const { rows } = await sql<L & { document_id: number }>`
    select ${sql.ref(by)} as document_id, ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)}
    where tenant_id = ${ctx.tenant.id} and ${sql.ref(by)} = any(${documentIds}::bigint[]) order by sort_order, id`.execute(ctx.tx)
  const lines = Map.groupBy(rows, ({ document_id }) => document_id)
  return (id: number): L[] => (lines.get(id) ?? []).map(({ document_id: _, ...line }) => line as unknown as L)
}

/** Field of a detail view: the document's lines. `own` are additional fields; `name` is used in the API documentation. */
export function linesField<Own extends z.ZodRawShape>({ table, by }: LineTable, name: string, own: Own) {
  const Line = z
    .object({
      id: z.int(),
      ...own,
      quantity: exact('quantity'),
      unit_price: money(),
      tax_rate: exact('percentage'),
      sort_order: z.int(),
      product_id: refId('product').nullable(),
      product: z.object({ id: z.int(), sku: z.string(), name: z.string() }).nullable(),
      line_total: money().meta({ description: 'After discount, before tax.' }),
      tax_amount: money().meta({
        description: 'Tax of the line; of the document’s rounding see `tax_rounding`.',
        examples: [9.31],
      }),
    })
    .meta({ id: name })
  const texts = Object.keys(own).filter((key) => !key.startsWith('discount_'))
  const discounts =
    'discount_value' in own
      ? sql`'discount_value', trim_scale(l.discount_value), 'discount_amount', trim_scale(l.discount), `
      : sql``
  return computed(
    z.array(Line),
    ({ ctx, table: document }) => sql`(
      select coalesce(json_agg(json_build_object('id', l.id, ${sql.join(texts.map((key) => sql`${key}::text, ${sql.ref(`l.${key}`)}`))},
        'quantity', trim_scale(l.quantity), 'unit_price', trim_scale(l.unit_price), 'tax_rate', trim_scale(l.tax_rate), ${discounts}
        'sort_order', l.sort_order, 'product_id', l.product_id,
        'product', case when p.id is not null then json_build_object('id', p.id, 'sku', p.sku, 'name', p.name) end,
        'line_total', trim_scale(l.net), 'tax_amount', trim_scale(l.tax)) order by l.sort_order, l.id), '[]')
      from ${sql.table(table)} l ${joinById(ctx as Ctx, subjectOf(ctx, 'product')!.table, 'p', 'l.product_id')}
      where l.tenant_id = ${ctx.tenant.id} and ${sql.ref(`l.${by}`)} = ${sql.ref(`${document}.id`)})`,
  )
}

/** Fields of lines for customers in addition to quantity, price and tax. */
export const offerLine = {
  name: z.string(),
  body: z.string().nullable().meta({ format: 'html' }),
  discount_value: exact(),
  discount_amount: money().meta({ description: 'What the discount of the line comes to.', examples: [0] }),
  ...taxShown,
}
