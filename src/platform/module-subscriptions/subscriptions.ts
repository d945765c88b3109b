/** Subscriptions of all workspaces, as the operator finds them. */
import { type Selectable, sql } from 'kysely'
import type { PlatformCtx } from '#kernel/context.ts'
import type { ModuleSubscriptions } from '#kernel/database/tables.ts'
import { notFound } from '#kernel/errors.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { readOne } from '#kernel/records/view.ts'
import { type Account, bringUpToDate, lockAccount } from '#platform/billing/public.ts'
import { SOURCES, STATUSES, Subscription, SubscriptionDetail } from './schema.ts'

/** BIL-01 */
export const subscriptionList = listing(platformTable('module_subscriptions', Subscription), {
  hardDeleted: true,
  filters: {
    tenant_id: filter.id('tenant_id'),
    status: filter.oneOf('status', STATUSES),
    source: filter.oneOf('source', SOURCES),
  },
})

export const showSubscription = (ctx: PlatformCtx, id: number) =>
  readOne(ctx, SubscriptionDetail, 'module_subscriptions', sql`module_subscriptions.id = ${id}`, { noun: 'subscription' })

/** A subscription with its account, both locked. */
export interface Locked {
  subscription: Selectable<ModuleSubscriptions>
  account: Account
}

/** 404 when there is none. The account is locked first, as everything that bills it does, and renewed as far as that is due. */
export async function lockSubscription(ctx: PlatformCtx, id: number): Promise<Locked> {
  const found = await ctx.tx
    .selectFrom('module_subscriptions')
    .select(['tenant_id', 'currency'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!found) throw notFound('There is no such subscription.')
  const account = await lockAccount(ctx, found.tenant_id, found.currency)
  await bringUpToDate(ctx, account)
  const subscription = await ctx.tx
    .selectFrom('module_subscriptions')
    .selectAll()
    .where('tenant_id', '=', found.tenant_id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { subscription, account }
}
