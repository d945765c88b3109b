/** Installs modules in workspaces. Nothing is installed implicitly: a missing requirement blocks (GEN-07). */

import { sql } from 'kysely'
import { type BaseCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { refuseTaken } from '#kernel/database/violations.ts'
import { invalid } from '#kernel/errors.ts'
import { everydayPermissions } from '#kernel/modules/permissions.ts'
import { installedModules, LIVE, lockModules } from '#kernel/modules/subscriptions.ts'
import { enterWorkspace } from '#kernel/tenancy/session.ts'
import { billNew, noteEvents, termsOf } from '#platform/billing/public.ts'

/**
 * Installs a module and bills it. 422 on `tenant` for an archived workspace. 422 on `module_id` if the module is unknown,
 * planned, retired or already installed, or if a requirement is missing or cancelled: the module would outlive it.
 */
export async function install(ctx: BaseCtx, tenantId: number, moduleId: number, billing_cycle: 'monthly' | 'yearly') {
  await lockModules(ctx, tenantId)
  const module = await ctx.tx
    .selectFrom('modules')
    .selectAll()
    .where('id', '=', moduleId)
    .where('deleted_at', 'is', null)
    .forKeyShare() // waits for an operator's concurrent change or deletion, and blocks later ones
    .executeTakeFirst()
  await refuseArchived(ctx, tenantId)
  const refuse = (why: string) => invalid({ module_id: why })
  if (!module) throw refuse('There is no such module in the catalogue.')
  if (module.availability !== 'available' || module.status !== 'published')
    throw refuse(`${module.name} can't be installed yet or any more.`)

  const installed = await installedModules(ctx.tx, tenantId)
  if (installed.has(module.key)) throw refuse(`${module.name} is already installed.`)
  const missing = module.requires.filter((key) => !installed.has(key) && !ctx.services.modules.workspace.get(key)?.core)
  if (missing.length) throw refuse(`${module.name} requires ${missing.join(', ')}. Install that first.`)
  const [ending] = await endingAmong(ctx, tenantId, module.requires)
  if (ending)
    throw refuse(
      `${module.name} requires ${ending.module_key}, which ends on ${ending.period_end}. Withdraw the cancellation of that first.`,
    )

  const terms = await termsOf(ctx, tenantId, module, billing_cycle)
  const subscription = await ctx.tx
    .insertInto('module_subscriptions')
    .values({
      tenant_id: tenantId,
      module_id: module.id,
      module_key: module.key,
      ...terms,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
    .catch(refuseTaken({ module_subscriptions_one_live: { module_id: `${module.name} is already installed.` } })) // two at once
  await moveIn(ctx, tenantId, module.key)
  await billNew(ctx, subscription, module)
  return subscription
}

/** Returns which of these modules are cancelled at the end of their period. */
const endingAmong = async ({ tx }: BaseCtx, tenantId: number, keys: string[]) =>
  keys.length
    ? tx
        .selectFrom('module_subscriptions')
        .select(['module_key', 'period_end'])
        .where('tenant_id', '=', tenantId)
        .where('module_key', 'in', keys)
        .where('status', 'in', LIVE)
        .where('cancel_at_period_end', '=', true)
        .orderBy('module_key')
        .execute()
    : []

/** Throws for an archived workspace, which isn't billed. Waits for a concurrent archiving. */
async function refuseArchived({ tx }: BaseCtx, tenantId: number) {
  const tenant = tx.selectFrom('tenants').select('archived_at').where('id', '=', tenantId).forKeyShare()
  if ((await tenant.executeTakeFirst())?.archived_at)
    throw invalid({ tenant: 'This workspace is archived: unarchive it before it gets modules.' })
}

/** Applies an installation: the module's seeds, everyday permissions for the role member, and the first entry of its history. */
export async function moveIn(ctx: BaseCtx, tenantId: number, key: string) {
  const { modules } = ctx.services
  const everyday = everydayPermissions(modules, key)
  const installation = await modules.installation(key)
  await enterWorkspace(ctx, tenantId, async (inside) => {
    await sql`
      update roles set permissions = (select array_agg(distinct p order by p) from unnest(permissions || ${everyday}::text[]) p), updated_at = ${ctx.now}
      where tenant_id = ${tenantId} and kind = 'member'
        and not exists (select from module_subscriptions s where s.tenant_id = ${tenantId} and s.module_key = ${key} and s.status not in (${sql.join(LIVE)}))`.execute(
      inside.tx,
    )
    await installation?.seed(inside, 0)
  })
  const installed = await ctx.tx
    .updateTable('module_subscriptions')
    .set({ seeded_version: installation?.version ?? 0 })
    .where('tenant_id', '=', tenantId)
    .where('module_key', '=', key)
    .where('status', 'in', LIVE)
    .returning(['tenant_id', 'id as subscription_id', 'source', 'status', 'billing_cycle'])
    .execute()
  await noteEvents(
    ctx,
    installed.map(({ tenant_id, subscription_id, ...properties }) => ({
      tenant_id,
      subscription_id,
      event: 'installed',
      properties,
    })),
  )
}

/** Installs available modules, requirements first: for the demo and tests. */
export async function installAll(services: Services, tenantId: number, keys?: string[]) {
  await writeAsSystem(services, async (ctx) => {
    const done = new Set<string>()
    const add = async (key: string) => {
      const module = services.modules.workspace.get(key)
      if (!module || module.core || done.has(key)) return
      done.add(key)
      for (const needed of module.requires ?? []) await add(needed)
      const row = await ctx.tx.selectFrom('modules').select('id').where('key', '=', key).executeTakeFirstOrThrow()
      const already = await ctx.tx
        .selectFrom('module_subscriptions')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('module_id', '=', row.id)
        .where('status', 'in', LIVE)
        .executeTakeFirst()
      if (!already) await install(ctx, tenantId, row.id, 'monthly')
    }
    for (const key of keys ?? services.modules.workspace.keys()) await add(key)
  })
}
