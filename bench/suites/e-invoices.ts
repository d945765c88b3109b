/** Cost of e-invoices: their XML, validation, the PDF that contains them, and reminders of thousands of overdue invoices. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { drawingOf } from '#workspace/billing-documents/public.ts'
import { makeEInvoice } from '#workspace/e-invoices/e-invoiced.ts'
import { invoiceAsData } from '#workspace/invoices/e-invoice.ts'
import { issuableInvoice } from '#workspace/invoices/pdf.ts'
import { remindDaily } from '#workspace/invoices/reminders/daily.ts'
import { paperOf } from '#workspace/issued-documents/public.ts'
import { type Filled, type Suite, VIEWERS } from '../prepare.ts'

const OVERDUE = 5000
/** Time limit; reminders written by then are counted. */
const MOST_MS = 120_000
const TIMES = 300
let firm: Filled

/** Returns the median and the 95th percentile of the work's milliseconds. */
async function millisecondsOf(work: (n: number) => Promise<unknown>): Promise<string> {
  const taken: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const began = performance.now()
    await work(n)
    taken.push(performance.now() - began)
  }
  taken.sort((a, b) => a - b)
  return `${taken[TIMES / 2]!.toFixed(1)} ms; p95 ${taken[Math.floor(TIMES * 0.95)]!.toFixed(1)} ms`
}

export default {
  title: 'E-invoices and reminders',
  async cases({ workspace }) {
    firm = await workspace(1000, VIEWERS)
    return []
  },
  async figures({ services, ask, inside }) {
    const { id: tenant, token } = firm
    const seller = {
      ...{ legal_name: 'Nordwind GmbH', street: 'Kai 3', postcode: '20457', city: 'Hamburg', country: 'DE' },
      ...{ vat_id: 'DE123456789', iban: 'DE89370400440532013000', einvoice_on_send: 'block' },
    }
    await inside(tenant, async (ctx) => {
      for (const [key, value] of Object.entries(seller))
        await sql`insert into workspace_settings (tenant_id, key, value, updated_at) values (${tenant}, ${key}, ${JSON.stringify(value)}::jsonb, ${ctx.now})
          on conflict (tenant_id, key) do update set value = excluded.value`.execute(ctx.tx)
    })
    const post = async (path: string, body: object) => {
      const reply = await ask(token, `/api/tenant/v1${path}`, body)
      if (reply.statusCode >= 300) throw new Error(reply.body)
      return reply.json().data
    }
    const buyer = { name: 'Ann', email: 'ann@firm.test', city: 'Bordeaux', country: 'FR', vat_id: 'FR12345678901' }
    const { id: contact_id } = await post('/contacts', buyer)
    const lines = Array.from({ length: 10 }, (_, n) => ({ name: `Work ${n}`, quantity: n + 1, unit_price: 9.99, tax_rate: 19 }))
    const { id } = await post('/invoices', { title: 'Measured', currency: 'EUR', contact_id, due_date: '2127-01-01', lines })
    await post(`/invoices/${id}/send`, {})
    const made = () => inside(tenant, (ctx) => makeEInvoice(invoiceAsData, ctx, id, 'cii'))
    const invoice = await made()
    const paper = await inside(tenant, (ctx) => paperOf(ctx, issuableInvoice, id))
    if (!paper.xml) throw new Error('The invoice holds no e-invoice.')
    /** Returns a different document each time, because equal ones are cached. */
    const drawn = (n: number) => drawingOf({ ...paper, printed: { ...paper.printed, title: `Measured ${n}` } })
    return [
      ['XML of ten lines, read and written (≤ 3 ms)', await millisecondsOf(async () => (await made()).xml())],
      ['XML of ten lines, written', await millisecondsOf(async () => invoice.xml())],
      ['check, read and judged (≤ 2 ms)', await millisecondsOf(made)],
      ['Factur-X PDF of ten lines (≤ 25 ms)', await millisecondsOf((n) => renderPdf(services, tenant, drawn(n)))],
      ...(await reminders()),
    ]

    /** Measures reminders written by the running server, which delivers their mails meanwhile. */
    async function reminders(): Promise<[string, string][]> {
      await post('/reminder-plans', { name: 'Measured', steps: [{ days: 7 }], is_active: true })
      await inside(tenant, async (ctx) => {
        const due = ctx.today()
        await sql`update invoices set due_date = null where tenant_id = ${tenant} and status = 'unpaid'`.execute(ctx.tx)
        await sql`update reminder_plans set listed_at = ${ctx.now} where tenant_id = ${tenant}`.execute(ctx.tx)
        const due_date = Temporal.PlainDate.from(due).subtract({ days: 8 }).toString()
        const sums = { tax_rounding: 'line' as const, subtotal: '100', discount_total: '0', tax_total: '19', total: '119' }
        const rows = Array.from({ length: OVERDUE }, (_, n) => ({
          ...{ ...sums, number: `DUE-${n}`, title: 'Desks', status: 'unpaid' as const, currency: 'EUR', contact_id },
          ...{ issue_date: due_date, due_date, created_at: ctx.now, updated_at: ctx.now },
        }))
        const line = { name: 'Oak desk', quantity: '1', unit_price: '100', tax_rate: '19', discount_value: '0' }
        const priced = { ...line, discount: '0', net: '100', tax: '19', sort_order: 0 }
        const ids = await insertRows(ctx, 'invoices', rows)
        await insertRows(
          ctx,
          'invoice_lines',
          ids.map((invoice_id) => ({ ...priced, invoice_id })),
        )
      })
      const written = () =>
        inside(tenant, async (ctx) => {
          const { rows } = await sql<{
            n: number
          }>`select count(*)::int as n from invoice_reminders where tenant_id = ${tenant}`.execute(ctx.tx)
          return rows[0]!.n
        })
      const began = performance.now()
      const attempt = { signal: AbortSignal.timeout(600_000), module: undefined }
      await remindDaily.handle(services, { tenant_id: tenant, data: {} }, attempt)
      while ((await written()) < OVERDUE && performance.now() - began < MOST_MS) await sleep(200)
      const aMinute = ((await written()) * 60_000) / (performance.now() - began)
      return [['reminders, written with their mails (≥ 5,000 a minute)', `${Math.round(aMinute).toLocaleString('en')} a minute`]]
    }
  },
} satisfies Suite
