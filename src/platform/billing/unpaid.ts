/** Writes off unpaid invoices three weeks after the first failed charge. Their subscriptions expire. */
import { type BaseCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { oneByOne } from '#kernel/jobs/one-by-one.ts'
import { LIVE, lockModules } from '#kernel/modules/subscriptions.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { lockAccount } from './accounts.ts'
import { EXPIRY_DAYS, giveUpInvoice } from './paying.ts'
import { lockBilled } from './renewals.ts'
import { noteEvents } from './subscription-events.ts'
import { creditUnused } from './unused.ts'

const DAY = 86_400
const BATCH = 100

/** Writes off overdue invoices, each in its own transaction. */
export async function giveUpUnpaid(services: Services, signal?: AbortSignal) {
  const onItsOwn = <T>(work: (ctx: BaseCtx) => Promise<T>) => writeAsSystem(services, work)
  const each = oneByOne(services, 'an invoice could not be given up')
  for (let last = 0; !signal?.aborted; ) {
    const overdue = await onItsOwn((ctx) => hopeless(ctx).where('id', '>', last).orderBy('id').limit(BATCH).execute())
    if (!overdue.length) break
    for (const { tenant_id, id, currency } of overdue)
      await each.attempt({ tenant_id, invoice: id }, () =>
        onItsOwn(async (ctx) => {
          await lockModules(ctx, tenant_id)
          await lockAccount(ctx, tenant_id, currency)
          const still = await hopeless(ctx).where('tenant_id', '=', tenant_id).where('id', '=', id).forUpdate().executeTakeFirst()
          if (still) await expireDependents(ctx, still, await giveUpInvoice(ctx, still))
        }),
      )
    last = overdue.at(-1)!.id
  }
  each.end()
}

/** Expires subscriptions that depend on expired modules, transitively. The paid rest of their period is credited. */
async function expireDependents(ctx: BaseCtx, invoice: { tenant_id: number; id: number }, expired: number[]) {
  if (!expired.length) return
  const { tenant_id } = invoice
  const of = ctx.tx.selectFrom('module_subscriptions').where('tenant_id', '=', tenant_id)
  const gone = await of.select('module_key').where('id', 'in', expired).execute()
  const { workspace } = ctx.services.modules
  const dependents = [...workspace.values()]
    .filter(({ requires }) => gone.some(({ module_key }) => requires?.includes(module_key)))
    .map(({ key }) => key)
  if (!dependents.length) return
  const live = of.where('module_key', 'in', dependents).where('status', 'in', LIVE)
  for (const { id } of await live.select('id').orderBy('id').execute()) {
    const locked = await lockBilled(ctx, { tenant_id, id })
    if (!locked) continue
    const [ended] = await ctx.tx
      .updateTable('module_subscriptions')
      .set({ status: 'expired', ended_at: ctx.now, cancel_at_period_end: false, next_cycle: null, updated_at: ctx.now })
      .where('tenant_id', '=', tenant_id)
      .where('id', '=', id)
      .where('status', 'in', LIVE)
      .returningAll()
      .execute()
    if (!ended) continue
    await creditUnused(ctx, locked.account, ended)
    await noteEvents(ctx, [{ tenant_id, subscription_id: id, event: 'expired', properties: { invoice_id: invoice.id } }])
    await expireDependents(ctx, invoice, [id])
  }
}

/** Selects open invoices that are overdue for too long and have no pending payment. */
const hopeless = ({ tx, now }: BaseCtx) =>
  tx
    .selectFrom('ledger_invoices as i')
    .select(['tenant_id', 'id', 'currency'])
    .where('status', '=', 'open')
    .where('failing_since', '<=', plusSeconds(now, -EXPIRY_DAYS * DAY))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_payments as p')
            .select('p.id')
            .whereRef('p.tenant_id', '=', 'i.tenant_id')
            .whereRef('p.invoice_id', '=', 'i.id')
            .where('p.status', '=', 'pending'),
        ),
      ),
    )
