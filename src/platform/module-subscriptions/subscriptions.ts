/** Subscriptions of all workspaces, for operators. */
import { type SqlBool, sql } from 'kysely'
import type { PlatformCtx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { lockModules } from '#kernel/modules/subscriptions.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { readOne } from '#kernel/records/view.ts'
import { type Billed, lockBilled } from '#platform/billing/public.ts'
import { SOURCES, STATUSES, Subscription, SubscriptionDetail } from './schema.ts'

/** Excludes subscriptions of workspaces that are being erased, which count as deleted (CEN-25). */
const kept = sql<SqlBool>`not exists (select from tenants
  where tenants.id = module_subscriptions.tenant_id and tenants.erasing_since is not null)`

/** BIL-01 */
export const subscriptionList = listing(
  { ...platformTable('module_subscriptions', Subscription), scope: () => kept },
  {
    hardDeleted: true,
    filters: {
      tenant_id: filter.id('tenant_id'),
      status: filter.oneOf('status', STATUSES),
      source: filter.oneOf('source', SOURCES),
    },
  },
)

export const showSubscription = (ctx: PlatformCtx, id: number) =>
  readOne(ctx, SubscriptionDetail, 'module_subscriptions', sql`module_subscriptions.id = ${id} and ${kept}`, {
    noun: 'subscription',
  })

/**
 * Locks a subscription with its account. 404 if it doesn't exist. Lock order: the workspace's modules, as for an installation,
 * then the account, as in all billing code.
 */
export async function lockSubscription(ctx: PlatformCtx, id: number): Promise<Billed> {
  const missing = () => notFound('There is no such subscription.')
  const named = ctx.tx.selectFrom('module_subscriptions').select('tenant_id').where('id', '=', id).where(kept)
  const found = await named.executeTakeFirst()
  if (!found) throw missing()
  await lockModules(ctx, found.tenant_id)
  const locked = await lockBilled(ctx, { tenant_id: found.tenant_id, id })
  if (!locked) throw missing()
  return locked
}
