/**
 * Daily job of the reminder plan, in the workspace's time zone. For each unpaid invoice, the latest step whose day has come is
 * sent, unless that one or a later one was. A killed worker loses only the uncommitted batch, and the next one finds the same
 * invoices.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, savepoint } from '#kernel/context.ts'
import { isRetryable } from '#kernel/database/failures.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import type { Invoice } from '../invoices.ts'
import { activePlan, type ReminderStep } from './plans.ts'
import { type Due, remindByPlan } from './reminding.ts'

/** Invoices per transaction and job. */
const BATCH = 100

/** Due date and id of the invoice after which the next batch begins. */
const Position = z.object({ due_date: z.string(), id: z.int() })
const START: z.output<typeof Position> = { due_date: '0001-01-01', id: 0 }

/**
 * Runs every morning. The first run of a plan only lists due steps, so that activating it doesn't send reminders for years at
 * once.
 */
export const remindDaily = defineWorkspaceJob({
  name: 'invoices-remind',
  daily: { at: '09:00' },
  async run(ctx) {
    const plan = await activePlan(ctx)
    if (!plan) return
    if (plan.listed_at) return void (await ctx.services.queue.send(ctx, remindNext, START))
    const { step, rows } = toRemind(ctx, plan.steps)
    const due = await sql<{ id: number; days: number }>`select i.id, ${step} as days ${rows}`.execute(ctx.tx)
    // Two statements: a cluster can't insert from a query over several tables.
    await sql`
      insert into invoice_reminders (tenant_id, invoice_id, days, status, created_at, updated_at)
      select ${ctx.tenant.id}::bigint, id, days, 'listed', ${ctx.now}, ${ctx.now}
      from jsonb_to_recordset(${JSON.stringify(due.rows)}::jsonb) as due (id bigint, days int)
      on conflict (tenant_id, invoice_id, days) do nothing returning 1`.execute(ctx.tx)
    await ctx.update('reminder_plans').set({ listed_at: ctx.now }).where('id', '=', plan.id).execute()
  },
})

/** Job that sends one batch of reminders, and queues the next one. */
export const remindNext = defineWorkspaceJob({
  name: 'invoices-remind-batch',
  unique: 'waiting',
  key: ({ due_date, id }) => `${due_date} ${id}`,
  data: Position,
  async run(ctx, { due_date, id }) {
    const plan = await activePlan(ctx)
    if (!plan?.listed_at) return
    const { step, rows: some } = toRemind(ctx, plan.steps)
    const { rows } = await sql<Invoice & { step_days: number }>`
      select i.*, ${step} as step_days ${some} and (i.due_date, i.id) > (${due_date}::date, ${id})
      order by i.due_date, i.id limit ${BATCH} for update of i skip locked`.execute(ctx.tx)
    const due = rows.map(
      ({ step_days, ...invoice }): Due => ({ invoice, step: plan.steps.find(({ days }) => days === step_days)! }),
    )
    await remindEach(ctx, due)
    const last = rows.at(-1)
    if (rows.length === BATCH) await ctx.services.queue.send(ctx, remindNext, { due_date: last!.due_date!, id: last!.id })
  },
})

/** Reminds of all at once; if that fails, of each separately, so that one failing customer doesn't block the others. */
async function remindEach(ctx: Ctx, due: Due[]): Promise<void> {
  if (!due.length) return
  try {
    await savepoint(ctx, (part) => remindByPlan(part, due))
  } catch (error) {
    if (isRetryable(error)) throw error
    if (due.length > 1) for (const one of due) await remindEach(ctx, [one])
    else ctx.log.error({ err: error, tenant: ctx.tenant.id, invoice: due[0]!.invoice.id }, 'a customer could not be reminded')
  }
}

/**
 * Selects unpaid invoices `i` with a reminder due today, and the days `step` of their latest due step. Compares with literal
 * dates, because a cluster doesn't support a join with the steps.
 */
function toRemind(ctx: Ctx, steps: ReminderStep[]) {
  const today = Temporal.PlainDate.from(ctx.today())
  const begun = steps
    .map(({ days }) => days)
    .toSorted((a, b) => b - a)
    .map((days) => ({ days, due: sql`i.due_date <= ${today.subtract({ days }).toString()}::date` }))
  const whens = begun.map(({ days, due }) => sql`when ${due} then ${days}::int`)
  const step = sql<number>`case ${sql.join(whens, sql` `)} end`
  const rows = sql`
    from invoices i
    where i.tenant_id = ${ctx.tenant.id} and i.status = 'unpaid' and i.deleted_at is null and not i.exclude_from_reminders
      and i.balance_due > 0 and ${begun.at(-1)!.due}
      and not exists (select from contacts c where c.tenant_id = ${ctx.tenant.id} and c.id = i.contact_id and c.exclude_from_reminders)
      and not exists (select from companies c where c.tenant_id = ${ctx.tenant.id} and c.id = i.company_id and c.exclude_from_reminders)
      and not exists (select from invoice_reminders r where r.tenant_id = ${ctx.tenant.id} and r.invoice_id = i.id and r.days >= ${step})`
  return { step, rows }
}
