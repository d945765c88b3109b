/** Demo payments for the sent invoices: most are paid in full, some in part, some two at once. A few payments are voided. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { type Entry, insertTimeline, takeNumbers } from '#kernel/demo/stories.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { decimal, roundTo } from '#kernel/values/money.ts'
import { fillIssued } from '#workspace/issued-documents/demo.ts'
import { issuableReceipt } from './receipt.ts'
import type { METHODS } from './schema.ts'
import { fillCsvMapping, fillStatement } from './statements/demo.ts'

type Owed = Awaited<ReturnType<typeof owedInvoices>>[number]

interface Drawn {
  /** Index of the working day when it was posted. */
  day: number
  isVoided: boolean
  pays: { invoice: Owed; amount: string }[]
}

const methods: { often: number; method: (typeof METHODS)[number] }[] = [
  { often: 60, method: 'bank_transfer' },
  { often: 25, method: 'card' },
  { often: 8, method: 'cheque' },
  { often: 7, method: 'cash' },
]

export default defineDemo({
  after: ['invoices'],
  async fill(ctx, plan) {
    const drawn = draw(plan, await owedInvoices(ctx))
    await book(ctx, plan, drawn)
    await settle(ctx, plan, drawn)
    await fillIssued(ctx, issuableReceipt, sql`true`)
    await openAccount(ctx, plan)
    await fillStatement(ctx, plan)
    await fillCsvMapping(ctx, plan)
    return drawn.length
  },
})

/** Demo customers pay by bank transfer; the account is fictitious. */
async function openAccount(ctx: Ctx, plan: Plan) {
  const at = plan.calendar.instant(0)!
  await ctx.tx
    .insertInto('payment_methods')
    .values({
      tenant_id: ctx.tenant.id,
      code: 'bank_transfer',
      is_enabled: true,
      account_holder: ctx.tenant.name.slice(0, 70),
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      created_at: at,
      updated_at: at,
    })
    .execute()
}

const owedInvoices = (ctx: Ctx) =>
  ctx
    .from('invoices')
    .select(['id', 'contact_id', 'company_id', 'currency', 'balance_due', 'updated_at'])
    .where('status', '=', 'unpaid')
    .where('deleted_at', 'is', null)
    .orderBy('updated_at')
    .orderBy('id')
    .execute()

/** Generates payments in chronological order. A payment made after another invoice was sent may pay both. */
function draw({ random, calendar }: Plan, invoices: Owed[]): Drawn[] {
  const drawn: Drawn[] = []
  const latest = new Map<string, Drawn>()
  for (const invoice of invoices) {
    if (decimal(invoice.balance_due).eq(0) || random.happens(0.05)) continue
    const sent = calendar.dayOf(invoice.updated_at)
    const customer = [invoice.company_id, invoice.contact_id, invoice.currency].join()
    const before = latest.get(customer)
    if (before && !before.isVoided && before.day > sent && random.happens(0.5)) {
      before.pays.push({ invoice, amount: invoice.balance_due })
      continue
    }
    const day = sent + random.between(1, 30)
    if (day + 1 >= calendar.days) continue // would be in the future
    const part = random.happens(0.1) ? roundTo(invoice.currency, decimal(invoice.balance_due).times(random.between(0.2, 0.8))) : 0
    const amount = decimal(part).gt(0) ? decimal(part).toFixed() : invoice.balance_due
    const payment = { day, isVoided: random.happens(0.03), pays: [{ invoice, amount }] }
    latest.set(customer, payment)
    drawn.push(payment)
  }
  return drawn.toSorted((a, b) => a.day - b.day)
}

async function book(ctx: Ctx, { random, calendar, people }: Plan, drawn: Drawn[]) {
  const prefix = await ctx.setting('payments_number_prefix')
  const first = await takeNumbers(ctx, 'payments', drawn.length)
  const timelines: Entry[][] = []
  const rows = drawn.map(({ day, isVoided, pays }, n) => {
    const [{ invoice }] = pays as [Drawn['pays'][number]]
    const { contact_id, company_id, currency } = invoice
    const at = calendar.instant(day)!
    const by = random.pick(people).id
    const voided_at = isVoided ? calendar.instant(day + 1)! : null
    const { method } = random.often(methods)
    const amount = pays.reduce((sum, pay) => sum.plus(pay.amount), decimal(0)).toFixed()
    const made = { type: 'created', at, by }
    const voided = { type: 'status_changed', properties: { from: 'posted', to: 'voided' }, at: voided_at ?? at, by }
    timelines.push(isVoided ? [made, voided] : [made])
    return {
      ...{ contact_id, company_id, currency, amount, allocated_amount: amount, method },
      number: `${prefix}${String(first + n).padStart(5, '0')}`,
      status: isVoided ? ('voided' as const) : ('posted' as const),
      reference: method === 'cash' ? null : `${random.whole(100_000, 999_999)}`,
      paid_at: at,
      voided_at,
      voided_by: isVoided ? by : null,
      created_by: by,
      created_at: at,
      updated_at: voided_at ?? at,
      revision: isVoided ? 2 : 1,
    }
  })
  const ids = await insertRows(ctx, 'payments', rows)
  const allocations = drawn.flatMap(({ pays }, n) =>
    pays.map(({ invoice, amount }) => ({ payment_id: ids[n]!, invoice_id: invoice.id, amount })),
  )
  await insertRows(ctx, 'payment_allocations', allocations)
  const told = timelines.flatMap((timeline, n) => timeline.map((entry) => ({ ...entry, id: ids[n]! })))
  await insertTimeline(ctx, 'payments', told)
}

/** Updates the invoices' amounts and status, and records full payment in their timelines. */
async function settle(ctx: Ctx, { calendar, people, random }: Plan, drawn: Drawn[]) {
  const paid = drawn
    .filter(({ isVoided }) => !isVoided)
    .flatMap(({ day, pays }) => pays.map(({ invoice, amount }) => ({ id: invoice.id, amount, at: calendar.instant(day)! })))
  const { rows } = await sql<{ id: number; at: string }>`
    with settled as (
      update invoices i set amount_paid = paid.amount,
        status = case when paid.amount = i.balance_due then 'paid' else i.status end,
        updated_at = case when paid.amount = i.balance_due then paid.at else i.updated_at end,
        revision = i.revision + case when paid.amount = i.balance_due then 1 else 0 end
      from jsonb_to_recordset(${JSON.stringify(paid)}::jsonb) as paid (id bigint, amount numeric, at timestamptz)
      where i.tenant_id = ${ctx.tenant.id} and i.id = paid.id
      returning i.id, i.status, i.updated_at
    ) select id, updated_at as at from settled where status = 'paid' order by id`.execute(ctx.tx)
  const told = rows.map((row) => ({
    ...{ ...row, type: 'status_changed', properties: { from: 'unpaid', to: 'paid' }, by: random.pick(people).id },
  }))
  await insertTimeline(ctx, 'invoices', told)
}
