/** Invoices that nobody pays are given up three weeks after the first failed charge, and their subscriptions expire. */
import { type BaseCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { lockAccount } from './accounts.ts'
import { EXPIRY_DAYS, giveUpInvoice } from './paying.ts'

const DAY = 86_400
const BATCH = 100

/** Gives up what is overdue for good, each invoice in a transaction of its own. */
export async function giveUpUnpaid(services: Services, signal?: AbortSignal) {
  const onItsOwn = <T>(work: (ctx: BaseCtx) => Promise<T>) => writeAsSystem(services, work)
  for (let last = 0; !signal?.aborted; ) {
    const overdue = await onItsOwn((ctx) => hopeless(ctx).where('id', '>', last).orderBy('id').limit(BATCH).execute())
    if (!overdue.length) return
    for (const { tenant_id, id, currency } of overdue)
      await onItsOwn(async (ctx) => {
        await lockAccount(ctx, tenant_id, currency)
        const still = await hopeless(ctx).where('tenant_id', '=', tenant_id).where('id', '=', id).forUpdate().executeTakeFirst()
        if (still) await giveUpInvoice(ctx, still)
      })
    last = overdue.at(-1)!.id
  }
}

/** Open for too long, with no payment under way. */
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
