/**
 * Issues due invoices of series. Every occurrence is created in the transaction that advances its series, under the root's lock,
 * and the database rejects a second one for a date. So a killed worker neither loses nor duplicates any, and two workers share
 * the work.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inPublic, originOf, type Services, type WorkspaceSteps } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { instantIn } from '#kernel/values/local-time.ts'
import { childrenOf, storedLinesOf } from '#workspace/billing-documents/public.ts'
import { issue } from '#workspace/issued-documents/public.ts'
import { announce, type Invoice, invoices } from './invoices.ts'
import { issuableInvoice } from './pdf.ts'
import { isOver, later, occurrenceOn } from './recurrence.ts'
import { type Frequency, invoiceLines } from './schema.ts'

/** Series per transaction and job. */
const BATCH = 25
/** Maximum occurrences of one workspace per calendar day; further ones follow the next day. */
const MAX_A_DAY = 20_000
/** Workspaces to which one transaction sends the job. */
const WORKSPACES = 1000

/** Progress of a round: the last series, and whether the round has issued any invoice. */
const Turn = z.object({ after: z.int(), issued: z.boolean() })
const ROUND: z.output<typeof Turn> = { after: 0, issued: false }

interface Batch {
  last: number
  issued: number
  /** Whether series after the last one may be due. */
  isFull: boolean
}

/**
 * Job that issues due invoices of a workspace: one occurrence of each series per round, until all are up to date. A job processes
 * one batch and sends the next one, which queues after other workspaces' jobs.
 */
export const issueDue = defineWorkspaceJob({
  name: 'invoices-issue-due',
  unique: 'waiting',
  key: ({ after }) => (after ? 'next batch' : 'round'), // a new round and a running one's next batch don't replace each other
  data: Turn,
  concurrency: 2,
  transactions: 'own',
  async run(steps, turn) {
    try {
      await steps.write(async (ctx) => sendNext(ctx, turn, await issueBatch(ctx, turn.after, BATCH)))
    } catch (error) {
      steps.log.warn({ err: error, tenant: steps.tenant.id }, 'series are continued one by one')
      const batch = await issueOneByOne(steps, turn.after)
      await steps.write((ctx) => sendNext(ctx, turn, batch))
    }
  },
})

/** Sends the next batch of the round, or another round if this one has issued any. */
async function sendNext(ctx: Ctx, turn: z.output<typeof Turn>, batch: Batch) {
  const issued = turn.issued || batch.issued > 0
  if (batch.isFull) await ctx.services.queue.send(ctx, issueDue, { after: batch.last, issued })
  else if (issued) await ctx.services.queue.send(ctx, issueDue, ROUND)
}

/** Issues series one by one: one that fails is logged and doesn't block the others. */
async function issueOneByOne(steps: WorkspaceSteps, after: number): Promise<Batch> {
  const due = await steps.read((ctx) => dueSeries(ctx, after, BATCH).execute())
  let issued = 0
  for (const { id } of due)
    try {
      issued += (await steps.write((ctx) => issueBatch(ctx, id - 1, 1))).issued
    } catch (error) {
      steps.log.error({ err: error, tenant: steps.tenant.id, invoice: id }, 'a series could not be continued')
    }
  return { last: due.at(-1)?.id ?? after, issued, isFull: due.length === BATCH }
}

/** Job that, every minute, finds workspaces with a series whose date has come in their time zone. */
export const findDue = defineJob({
  name: 'invoices-find-due',
  schedule: '* * * * *',
  unique: 'both',
  data: z.object({ after: z.int().default(0) }),
  async run(services, { after }) {
    for (let last: number | undefined = after; last !== undefined; ) last = await sendDue(services, last)
  },
})

/** Sends the job to the next workspaces that need it. Returns the last of them; undefined if there are no more. */
const sendDue = (services: Services, after: number) =>
  inPublic(originOf(services), 'write', async (ctx) => {
    const { rows } = await sql<{ tenantId: number }>`
      select distinct i.tenant_id as "tenantId"
      from invoices i join tenants t on t.id = i.tenant_id
      where i.tenant_id > ${after} and i.recurrence_status = 'active' and i.deleted_at is null
        and i.recurrence_next_issue_on <= (${ctx.now}::timestamptz at time zone t.timezone)::date
      order by 1 limit ${WORKSPACES}`.execute(ctx.tx)
    const sent = rows.map(({ tenantId }) => ({ tenantId, data: ROUND }))
    if (sent.length) await services.queue.sendAll(ctx, issueDue, sent)
    return sent.length === WORKSPACES ? sent.at(-1)!.tenantId : undefined
  })

/** Sends the job at once for a new series that begins in the past or today. */
export const issueSoon = async (ctx: Ctx, nextOn: string) => {
  if (nextOn <= ctx.today()) await ctx.services.queue.send(ctx, issueDue, ROUND)
}

/** The next series, by id, whose date has come in the workspace's time zone. */
const dueSeries = (ctx: Ctx, after: number, limit: number) =>
  ctx
    .from('invoices')
    .selectAll()
    .where('recurrence_status', '=', 'active')
    .where('deleted_at', 'is', null)
    .where('recurrence_next_issue_on', '<=', ctx.today())
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)

/** Issues one occurrence for each of the next due series that no other worker has locked. */
async function issueBatch(ctx: Ctx, after: number, most: number): Promise<Batch> {
  const limit = Math.min(most, MAX_A_DAY - (await issuedToday(ctx)))
  const due = limit > 0 ? await dueSeries(ctx, after, limit).forUpdate().skipLocked().execute() : []
  if (!due.length) return { last: after, issued: 0, isFull: false }
  const ids = due.map(({ id }) => id)
  const linesOf = await storedLinesOf(ctx, invoiceLines, ids)
  const numberPrefix = await ctx.setting('invoices_number_prefix')
  const made = await allPipelined(
    ...due.map((root) =>
      invoices.insert(ctx, occurrenceOf(root), { numberPrefix, children: childrenOf(invoiceLines, linesOf(root.id)) }),
    ),
  )
  await allPipelined(...due.flatMap((root, n) => advance(ctx, root, made[n]!)))
  await issue(
    ctx,
    issuableInvoice,
    made.map(({ id }) => id),
  )
  for (const { id } of made) await announce(ctx, id)
  return { last: due.at(-1)!.id, issued: due.length, isFull: due.length === limit }
}

async function issuedToday(ctx: Ctx) {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from invoices
    where tenant_id = ${ctx.tenant.id} and recurring_source_invoice_id is not null and created_at >= ${instantIn(ctx, ctx.today())}`.execute(
    ctx.tx,
  )
  return rows[0]!.n
}

/** Advances a series by one period and records the issued invoice. */
function advance(ctx: Ctx, root: Invoice, { id: invoice_id, number }: Invoice): Promise<unknown>[] {
  const occurrence = root.recurrence_occurrence! + 1
  const next = occurrenceOn(root.recurrence_anchor_on!, root.recurrence_frequency as Frequency, occurrence)
  const over = isOver(next, root.recurrence_ends_on)
  const status = over ? ({ recurrence_status: 'ended' } as const) : {}
  return [
    invoices.save(ctx, root, { recurrence_occurrence: occurrence, recurrence_next_issue_on: next, ...status }),
    logActivity(ctx, invoices, root.id, 'recurrence_generated', { invoice_id, number }),
    ...(over ? [logActivity(ctx, invoices, root.id, 'recurrence_stopped', { reason: 'over' })] : []),
  ]
}

/** Values that the next occurrence takes from its root: everything that the customer reads, with the same term of payment. */
function occurrenceOf(root: Invoice) {
  const on = root.recurrence_next_issue_on!
  const { title, currency, notes, terms_and_conditions, contact_id, company_id, reseller_id, assigned_to } = root
  const { buyer_reference, order_reference } = root
  const { line_discount_type, tax_rounding, subtotal, discount_total, tax_total, total } = root
  return {
    ...{ title, currency, notes, terms_and_conditions, contact_id, company_id, reseller_id, assigned_to },
    ...{ buyer_reference, order_reference },
    ...{ line_discount_type, tax_rounding, subtotal, discount_total, tax_total, total },
    status: 'unpaid' as const,
    issue_date: on,
    due_date: dueAfter(root, on),
    ...deliveredAfter(root),
    recurring_source_invoice_id: root.id,
    occurrence_on: on,
  }
}

function dueAfter({ issue_date, due_date }: Invoice, on: string): string | null {
  if (!issue_date || !due_date) return null
  const { days } = Temporal.PlainDate.from(issue_date).until(due_date)
  return later(on, { days })
}

/** The root's delivery date or period, moved by as many periods; the end of a month stays the end of a month. */
function deliveredAfter(root: Invoice) {
  const { delivery_date, delivery_period_start, delivery_period_end: end } = root
  const frequency = root.recurrence_frequency as Frequency
  const n = root.recurrence_occurrence! + (root.recurrence_anchor_on === root.issue_date ? 0 : 1)
  const moved = (date: string | null) => date && occurrenceOn(date, frequency, n)
  return {
    delivery_date: moved(delivery_date),
    delivery_period_start: moved(delivery_period_start),
    delivery_period_end: end && later(occurrenceOn(later(end, { days: 1 }), frequency, n), { days: -1 }),
  }
}
