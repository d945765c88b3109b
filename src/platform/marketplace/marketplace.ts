/** Modules for sale: published catalogue entries with code, and their state in a workspace. */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { readOne } from '#kernel/records/view.ts'
import { CatalogueModule } from '#platform/modules/public.ts'

const onSale = sql<SqlBool>`modules.deleted_at is null and modules.status = 'published' and modules.availability = 'available'`

/** Modules for sale. */
export const marketplace = listing(
  { ...platformTable('modules', CatalogueModule), scope: () => onSale },
  {
    order: { by: ['name'] },
    search: ['key', 'name', 'description'],
    filters: { category_id: filter.id('category_id') },
    hardDeleted: true, // deleted modules aren't for sale and can't be listed here
  },
)

/** CEN-47. Without a workspace nothing counts as installed. */
export const MarketplaceModule = z
  .object({
    ...CatalogueModule.shape,
    already_installed: z.boolean().describe('Whether the workspace that was named has it.'),
    can_cancel: z.boolean().describe('Whether that workspace can give it up now.'),
    blocking_dependents: z
      .array(z.object({ key: z.string(), name: z.string() }))
      .describe('Its modules that need this one and must be given up before.'),
    dependencies: z
      .array(z.object({ key: z.string(), name: z.string(), installed: z.boolean().describe('Whether the workspace has it.') }))
      .describe('What must be installed before, and whether it is.'),
  })
  .meta({ id: 'MarketplaceModule' })

/** Returns a module for sale; 404 otherwise. For a workspace, 422 on `tenant_id` if it doesn't exist. */
export async function showOnSale(ctx: PlatformCtx, id: number, tenantId?: number): Promise<z.input<typeof MarketplaceModule>> {
  const shown = await readOne(ctx, CatalogueModule, 'modules', sql`modules.id = ${id} and ${onSale}`, { noun: 'module' })
  const module: z.output<typeof CatalogueModule> = JSON.parse(shown.text)
  const installed = tenantId === undefined ? [] : await installedIn(ctx, tenantId)
  const mine = installed.find(({ key }) => key === module.key)
  const dependents = mine ? installed.filter(({ requires }) => requires.includes(module.key)) : []
  return {
    ...module,
    already_installed: mine !== undefined,
    can_cancel: mine?.source === 'purchased' && !dependents.length,
    blocking_dependents: dependents.map(({ key, name }) => ({ key, name })),
    dependencies: await dependenciesOf(ctx, module.requires, new Set(installed.map(({ key }) => key))),
  }
}

async function installedIn(ctx: PlatformCtx, tenantId: number) {
  const tenant = await ctx.tx
    .selectFrom('tenants')
    .select('id')
    .where('id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!tenant) throw invalid({ tenant_id: 'There is no such workspace.' })
  return ctx.tx
    .selectFrom('module_subscriptions as s')
    .innerJoin('modules as m', 'm.id', 's.module_id')
    .select(['m.key', 'm.name', 'm.requires', 's.source'])
    .where('s.tenant_id', '=', tenantId)
    .where('s.status', 'in', LIVE)
    .orderBy('m.key')
    .execute()
}

/** Returns the required modules. Core modules always count as installed. */
async function dependenciesOf(ctx: PlatformCtx, requires: string[], installed: ReadonlySet<string>) {
  if (!requires.length) return []
  const { workspace } = ctx.services.modules
  const known = await ctx.tx.selectFrom('modules').select(['key', 'name']).where('key', 'in', requires).execute()
  return requires.map((key) => ({
    key,
    name: known.find((one) => one.key === key)?.name ?? workspace.get(key)?.title ?? key,
    installed: installed.has(key) || workspace.get(key)?.core === true,
  }))
}
