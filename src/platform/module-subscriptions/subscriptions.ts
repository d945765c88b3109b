/** Subscriptions of all workspaces, as the operator finds them. */
import { type SqlBool, sql } from 'kysely'
import type { PlatformCtx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { lockModules } from '#kernel/modules/subscriptions.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { readOne } from '#kernel/records/view.ts'
import { type Billed, lockBilled } from '#platform/billing/public.ts'
import { SOURCES, STATUSES, Subscription, SubscriptionDetail } from './schema.ts'

/** Those of a workspace that is being erased are gone already, as the workspace is (CEN-25). */
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
 * A subscription with its account, both locked; 404 when there is none. The workspace's modules are locked first, as by an installation, then the
 * account, as by everything that bills it.
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
