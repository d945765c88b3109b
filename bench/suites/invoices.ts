/** Invoices: a hundred thousand with their lines, and ten thousand due recurring ones. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { findDue } from '#workspace/invoices/issuing.ts'
import { aims, type Case, type Filled, type Suite, VIEWERS } from '../prepare.ts'

const invoices = '/api/tenant/v1/invoices'
const SERIES = 10_000
let firm: Filled

export default {
  title: 'Invoices',
  async cases({ services, workspace, ask, caseOf }, records): Promise<Case[]> {
    firm = await workspace(3000, VIEWERS)
    await fill(firm, records)
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { token, tokens } = firm
    const lines = Array.from({ length: 10 }, (_, n) => {
      return { name: `Work ${n}`, quantity: n + 1, unit_price: 9.99, tax_rate: 19, discount_value: 5 }
    })
    const body = { title: 'Measured', line_discount_type: 'percent', lines }
    const { id } = (await ask(token, invoices, body)).json().data
    const some: { id: number }[] = []
    for (let page = 1; page <= 30; page++) some.push(...(await ask(token, `${invoices}?per_page=100&page=${page}`)).json().data)
    const customer: string = (await ask(token, '/api/tenant/v1/companies?per_page=1')).json().data[0].name
    const print = (of: number) => `${invoices}/${of}/pdf`
    const cold = await caseOf('pdfDifferent', 'PDF, one at a time, each another one', token, print(id))
    const warm = await caseOf('pdfSame', 'PDF, one at a time, the same ten lines', token, print(id))
    const paths = some.map((one) => print(one.id))
    return [
      { ...(await caseOf('list', `list of 25 among ${records.toLocaleString('en')}`, token, invoices)), atLeast: aims.list },
      await caseOf('search', 'search by a customer’s name', token, `${invoices}?search=${encodeURIComponent(customer)}`),
      { ...(await caseOf('show', 'show with ten lines', token, `${invoices}/${id}`)), atLeast: aims.show },
      await caseOf('stats', 'stats', token, `${invoices}/stats`),
      { ...warm, by: 1, target: { ...warm.target, tokens: [...tokens] } },
      { ...cold, by: 1, target: { ...cold.target, paths, tokens: [...tokens] } },
      await caseOf('create', 'create with ten lines', token, invoices, body),
    ]
  },
  async figures({ services, inside }) {
    await inside(firm.id, begin)
    const made = async () => {
      const { rows } = await inside(firm.id, (ctx) =>
        sql<{
          n: number
        }>`select count(*)::int as n from invoices where tenant_id = ${firm.id} and occurrence_on is not null`.execute(ctx.tx),
      )
      return rows[0]!.n
    }
    const began = performance.now()
    await findDue.handle(services, { data: { after: 0 } }, { signal: AbortSignal.timeout(60_000), module: undefined })
    while ((await made()) < SERIES) await sleep(200)
    const seconds = (performance.now() - began) / 1000
    return [[`issuing ${SERIES.toLocaleString('en')} due series`, `${Math.round(SERIES / seconds)} invoices a second`]]
  },
} satisfies Suite

/** Inserts copies of the demo's invoices, three lines each, an hour apart. */
const fill = ({ id, inside }: Filled, records: number) =>
  inside(async (ctx) => {
    const idsOf = async (table: 'users' | 'contacts' | 'companies') =>
      (await ctx.tx.selectFrom(table).select('id').where('tenant_id', '=', id).orderBy('id').execute()).map((row) => row.id)
    const [people, contacts, companies] = [await idsOf('users'), await idsOf('contacts'), await idsOf('companies')]
    const at = (n: number) => new Date(Date.parse(ctx.now) - (records - n) * 360_000).toISOString()
    const rows = Array.from({ length: records }, (_, n) => ({
      ...sums,
      number: `BENCH-${n}`,
      title: `Work no. ${n}`,
      status: n % 5 ? ('cancelled' as const) : ('unpaid' as const),
      currency: 'USD',
      issue_date: at(n).slice(0, 10),
      due_date: at(n + 5000).slice(0, 10),
      contact_id: contacts[n % contacts.length]!,
      company_id: companies[n % companies.length]!,
      assigned_to: people[n % people.length]!,
      created_by: people[n % people.length]!,
      created_at: at(n),
      updated_at: at(n),
    }))
    const ids = await insertRows(ctx, 'invoices', rows)
    await insertRows(
      ctx,
      'invoice_lines',
      ids.flatMap((invoice_id) => [0, 1, 2].map((sort_order) => ({ ...line, invoice_id, sort_order }))),
    )
  })

/** Inserts recurring invoices that are due today. */
async function begin(ctx: Ctx) {
  const series = {
    ...{ is_recurring: true, recurrence_frequency: 'monthly' as const, recurrence_status: 'active' as const },
    ...{ recurrence_next_issue_on: ctx.today(), recurrence_anchor_on: ctx.today(), recurrence_occurrence: 0 },
  }
  const rows = Array.from({ length: SERIES }, (_, n) => ({
    ...{ ...sums, ...series, number: `SERIES-${n}`, title: 'Rent', status: 'unpaid' as const, currency: 'USD' },
    ...{ issue_date: ctx.today(), created_at: ctx.now, updated_at: ctx.now },
  }))
  const ids = await insertRows(ctx, 'invoices', rows)
  await insertRows(
    ctx,
    'invoice_lines',
    ids.flatMap((invoice_id) => [0, 1, 2].map((sort_order) => ({ ...line, invoice_id, sort_order }))),
  )
}

const sums = { tax_rounding: 'line' as const, subtotal: '300', discount_total: '0', tax_total: '57', total: '357' }
const line = {
  ...{ name: 'Work', quantity: '2', unit_price: '50', tax_rate: '19', discount_value: '0' },
  ...{ discount: '0', net: '100', tax: '19' },
}
