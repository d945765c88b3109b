/**
 * Issuing what series have due. Every occurrence is made in the transaction that advances its series, under the root's lock, and
 * the database refuses a second one for a date: a worker that is killed loses none and doubles none, and two workers share the work.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inPublic, originOf, type Services, type WorkspaceSteps } from '#kernel/context.ts'
import { together } from '#kernel/database/connect.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { childrenOf, storedLinesOf } from '#workspace/billing-documents/public.ts'
import { announce, type Invoice, invoices } from './invoices.ts'
import { occurrenceOn } from './recurrence.ts'
import { type Frequency, invoiceLines } from './schema.ts'

/** Series that one transaction issues an invoice for. */
const BATCH = 25
/** Workspaces that one transaction sends the job to. */
const WORKSPACES = 1000

/**
 * Issues what is due in one workspace: round by round one occurrence of each series, until all have caught up. When the process
 * stops in between, the next minute goes on.
 */
export const issueDue = defineWorkspaceJob({
  name: 'invoices-issue-due',
  unique: 'waiting',
  concurrency: 2,
  transactions: 'own',
  async run(steps, _, { signal }) {
    for (let last = 0, issued = 0; !signal.aborted; ) {
      const batch = await issueNext(steps, last)
      issued += batch.issued
      if (batch.last !== undefined) last = batch.last
      else if (issued > 0) last = issued = 0
      else return
    }
  },
})

/** One batch. Where that fails, each series of it alone: one that can't be continued is told in the log, and keeps no other back. */
async function issueNext(steps: WorkspaceSteps, after: number) {
  try {
    return await steps.write((ctx) => issueBatch(ctx, after, BATCH))
  } catch (error) {
    steps.log.warn({ err: error, tenant: steps.tenant.id }, 'series are continued one by one')
  }
  let [last, issued]: [number | undefined, number] = [undefined, 0]
  for (const { id } of await steps.read((ctx) => dueSeries(ctx, after, BATCH).execute())) {
    last = id
    try {
      issued += (await steps.write((ctx) => issueBatch(ctx, id - 1, 1))).issued
    } catch (error) {
      steps.log.error({ err: error, tenant: steps.tenant.id, invoice: id }, 'a series could not be continued')
    }
  }
  return { last, issued }
}

/** Every minute: which workspaces have a series whose date has come by their own calendar? */
export const findDue = defineJob({
  name: 'invoices-find-due',
  schedule: '* * * * *',
  unique: 'both',
  data: z.object({ after: z.int().default(0) }),
  async run(services, { after }) {
    for (let last: number | undefined = after; last !== undefined; ) last = await sendDue(services, last)
  },
})

/** Sends the job to the next workspaces that need it. Gives the last of them; undefined: there are no more. */
const sendDue = (services: Services, after: number) =>
  inPublic(originOf(services), 'write', async (ctx) => {
    const { rows } = await sql<{ tenantId: number }>`
      select distinct i.tenant_id as "tenantId"
      from invoices i join tenants t on t.id = i.tenant_id
      where i.tenant_id > ${after} and i.recurrence_status = 'active' and i.deleted_at is null
        and i.recurrence_next_issue_on <= (${ctx.now}::timestamptz at time zone t.timezone)::date
      order by 1 limit ${WORKSPACES}`.execute(ctx.tx)
    const sent = rows.map(({ tenantId }) => ({ tenantId, data: {} }))
    if (sent.length) await services.queue.sendAll(ctx, issueDue, sent)
    return sent.length === WORKSPACES ? sent.at(-1)!.tenantId : undefined
  })

/** A series that was just begun may lie in the past already: it doesn't wait for the next minute. */
export const issueSoon = async (ctx: Ctx, nextOn: string) => {
  if (nextOn <= ctx.today()) await ctx.services.queue.send(ctx, issueDue, {})
}

/** The next series, by id, whose date has come by the workspace's calendar. */
const dueSeries = (ctx: Ctx, after: number, limit: number) =>
  ctx.tx
    .selectFrom('invoices')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('recurrence_status', '=', 'active')
    .where('deleted_at', 'is', null)
    .where('recurrence_next_issue_on', '<=', ctx.today())
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)

/** One occurrence for each of the next due series that no other worker has at hand. Gives the last of them, none at the end of a round. */
async function issueBatch(ctx: Ctx, after: number, limit: number) {
  const due = await dueSeries(ctx, after, limit).forUpdate().skipLocked().execute()
  if (!due.length) return { last: undefined, issued: 0 }
  const ids = due.map(({ id }) => id)
  const linesOf = await storedLinesOf(ctx, invoiceLines, ids)
  const numberPrefix = await ctx.setting('invoices_number_prefix')
  const made = await together(
    ...due.map((root) =>
      invoices.insert(ctx, occurrenceOf(root), { numberPrefix, children: childrenOf(invoiceLines, linesOf(root.id)) }),
    ),
  )
  await together(...due.flatMap((root, n) => advance(ctx, root, made[n]!)))
  for (const { id } of made) await announce(ctx, id)
  return { last: due.at(-1)!.id, issued: due.length }
}

/** Takes a series one period further, and tells what it issued. */
function advance(ctx: Ctx, root: Invoice, { id: invoice_id, number }: Invoice): Promise<unknown>[] {
  const occurrence = root.recurrence_occurrence! + 1
  const next = occurrenceOn(root.recurrence_anchor_on!, root.recurrence_frequency as Frequency, occurrence)
  const over = root.recurrence_ends_on !== null && next > root.recurrence_ends_on
  const status = over ? ({ recurrence_status: 'ended' } as const) : {}
  return [
    invoices.save(ctx, root, { recurrence_occurrence: occurrence, recurrence_next_issue_on: next, ...status }),
    logActivity(ctx, invoices, root.id, 'recurrence_generated', { invoice_id, number }),
    ...(over ? [logActivity(ctx, invoices, root.id, 'recurrence_stopped', { reason: 'over' })] : []),
  ]
}

/** What the next occurrence has from its root: everything that the customer reads, due as many days after its issue. */
function occurrenceOf(root: Invoice) {
  const on = root.recurrence_next_issue_on!
  const { title, currency, notes, terms_and_conditions, contact_id, company_id, reseller_id, assigned_to } = root
  const { line_discount_type, tax_rounding, subtotal, discount_total, tax_total, total } = root
  return {
    ...{ title, currency, notes, terms_and_conditions, contact_id, company_id, reseller_id, assigned_to },
    ...{ line_discount_type, tax_rounding, subtotal, discount_total, tax_total, total },
    status: 'unpaid' as const,
    issue_date: on,
    due_date: dueAfter(root, on),
    recurring_source_invoice_id: root.id,
    occurrence_on: on,
  }
}

function dueAfter({ issue_date, due_date }: Invoice, on: string): string | null {
  if (!issue_date || !due_date) return null
  const { days } = Temporal.PlainDate.from(issue_date).until(due_date)
  return Temporal.PlainDate.from(on).add({ days }).toString()
}
