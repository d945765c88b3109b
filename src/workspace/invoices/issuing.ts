/**
 * Issuing what series have due. Every occurrence is made in the transaction that advances its series, under the root's lock, and
 * the database refuses a second one for a date: a worker that is killed loses none and doubles none, and two workers share the work.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inPublic, originOf, type Services, savepoint } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { childrenOf, storedLines } from '#workspace/billing-documents/public.ts'
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
      const batch = await steps.write((ctx) => issueBatch(ctx, last))
      issued += batch.issued
      if (batch.last !== undefined) last = batch.last
      else if (issued > 0) last = issued = 0
      else return
    }
  },
})

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

/**
 * Issues one occurrence for each of the next due series, by id, that no other worker has at hand. Gives the last of them, none at the
 * end of a round. One that fails is told in the log, and keeps no other back.
 */
async function issueBatch(ctx: Ctx, after: number) {
  const due = await ctx.tx
    .selectFrom('invoices')
    .selectAll()
    .where('tenant_id', '=', ctx.tenant.id)
    .where('recurrence_status', '=', 'active')
    .where('deleted_at', 'is', null)
    .where('recurrence_next_issue_on', '<=', ctx.today())
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .forUpdate()
    .skipLocked()
    .execute()
  const numberPrefix = await ctx.setting('invoices_number_prefix')
  let issued = 0
  for (const root of due) {
    try {
      await savepoint(ctx, (inner) => issue(inner, root, numberPrefix))
      issued++
    } catch (error) {
      ctx.log.error({ err: error, tenant: ctx.tenant.id, invoice: root.id }, 'a series could not be continued')
    }
  }
  return { last: due.at(-1)?.id, issued }
}

/** The next occurrence of a series, owed at once, and the series one period further. */
async function issue(ctx: Ctx, root: Invoice, numberPrefix: string) {
  const on = root.recurrence_next_issue_on!
  const frequency = root.recurrence_frequency as Frequency
  const lines = await storedLines(ctx, invoiceLines, root.id)
  const invoice = await invoices.insert(ctx, copyOf(root, on), { numberPrefix, children: childrenOf(invoiceLines, lines) })
  const occurrence = root.recurrence_occurrence! + 1
  const next = occurrenceOn(root.recurrence_anchor_on!, frequency, occurrence)
  const over = root.recurrence_ends_on !== null && next > root.recurrence_ends_on
  await invoices.save(ctx, root, {
    recurrence_occurrence: occurrence,
    recurrence_next_issue_on: next,
    ...(over ? { recurrence_status: 'ended' } : {}),
  })
  await logActivity(ctx, invoices, root.id, 'recurrence_generated', { invoice_id: invoice.id, number: invoice.number })
  if (over) await logActivity(ctx, invoices, root.id, 'recurrence_stopped', { reason: 'over' })
  await announce(ctx, invoice)
}

/** What an occurrence has from its root: everything that the customer reads, due as many days after its issue. */
function copyOf(root: Invoice, on: string) {
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
