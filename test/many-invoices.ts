/** Creates many overdue invoices directly in the database. */
import type { World } from './harness.ts'

const COLUMNS =
  'tenant_id, title, status, currency, issue_date, due_date, contact_id, line_discount_type, tax_rounding, subtotal, discount_total, tax_total, total, created_by, created_at, updated_at'

/** Copies an invoice until there are this many, including it; each has a line of 100.00 with 19% tax. */
export const copyInvoice = (world: World, id: number, count: number) =>
  world.sql(
    `WITH made AS (INSERT INTO invoices (number, ${COLUMNS}) SELECT 'MANY-' || n, ${COLUMNS} FROM invoices, generate_series(2, $2::int) n WHERE id = $1 RETURNING tenant_id, id)
     INSERT INTO invoice_lines (tenant_id, invoice_id, name, quantity, unit_price, tax_rate, discount, net, tax, sort_order)
     SELECT tenant_id, id, 'Oak desk', 1, 100, 19, 0, 100, 19, 0 FROM made`,
    [id, count],
  )
