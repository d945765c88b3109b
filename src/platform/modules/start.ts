/**
 * Synchronises the catalogue with the code at each start. A module with a manifest is available; a key without code can only be
 * planned.
 */
import { sql } from 'kysely'
import { type PlatformCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { CATALOGUE_CATEGORIES, type CatalogueCategory } from '#kernel/modules/module.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { plannedModules } from './planned.ts'

/** Adds and updates the modules in the code. Modules without code become planned. */
export default function syncCatalogue(services: Services) {
  return writeAsSystem(services, async (ctx) => {
    const coded = codedModules(services)
    await upsertModules(ctx, [...coded, ...plannedModules.filter(({ key }) => !services.modules.workspace.has(key)).map(planned)])
    await ctx.tx
      .updateTable('modules')
      .set({ availability: 'planned', updated_at: ctx.now, revision: sql`revision + 1` })
      .where(sql<boolean>`key <> all(${coded.map(({ key }) => key)})`)
      .where('availability', '!=', 'planned')
      .execute()
  })
}

interface CatalogueEntry {
  key: string
  name: string
  description: string | null
  version: string
  availability: 'available' | 'planned'
  requires: string[]
  category: CatalogueCategory | undefined
  is_default_included: boolean
}

const codedModules = ({ modules }: Services): CatalogueEntry[] =>
  [...modules.workspace.values()]
    .filter((module) => !module.core)
    .map(({ key, title, description = null, version = '1.0.0', requires = [], category, defaultIncluded = false }) => ({
      ...{ key, name: title, description, version, requires, category },
      availability: 'available',
      is_default_included: defaultIncluded,
    }))

const planned = (module: (typeof plannedModules)[number]): CatalogueEntry => ({
  ...module,
  availability: 'planned',
  requires: [],
  is_default_included: false,
})

/**
 * Updates entries that differ from the code. The operator's values stay: price, status, category, in-progress availability, and
 * the columns in `set_by_operator`. A planned entry that now has code becomes available, at its existing price.
 */
async function upsertModules(ctx: PlatformCtx, declared: CatalogueEntry[]) {
  const categoryId = await categories(ctx)
  const rows = declared.map(({ category, ...module }) => ({ ...module, category_id: categoryId(category) }))
  const currency = await platformSetting(ctx, 'currency')
  // Names are literals: a cluster requires a type for parameters that occur only after ON CONFLICT.
  const next = {
    name: sql`case when 'name' = any(modules.set_by_operator) then modules.name else excluded.name end`,
    description: sql`case when 'description' = any(modules.set_by_operator) then modules.description else excluded.description end`,
    is_default_included: sql`case when 'is_default_included' = any(modules.set_by_operator) then modules.is_default_included else excluded.is_default_included end`,
    version: sql.ref('excluded.version'),
    requires: sql.ref('excluded.requires'),
    availability: sql`case when modules.availability = 'in-progress' then modules.availability else excluded.availability end`,
  }
  const present = Object.keys(next).map((column) => sql.ref(`modules.${column}`))
  const changes = Object.entries(next).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  await sql`
    insert into modules (key, name, description, version, availability, requires, is_default_included, category_id, currency, created_at, updated_at)
    select d.key, d.name, d.description, d.version, d.availability, d.requires, d.is_default_included, d.category_id, ${currency}, ${ctx.now}, ${ctx.now}
    from jsonb_populate_recordset(null::modules, ${JSON.stringify(rows)}::jsonb) d
    on conflict (key) do update set ${sql.join(changes)}, updated_at = excluded.updated_at, revision = modules.revision + 1
    where (${sql.join(present)}) is distinct from (${sql.join(Object.values(next))})`.execute(ctx.tx)
}

/** Creates missing categories. Returns a lookup of their ids. */
async function categories(ctx: PlatformCtx): Promise<(named: CatalogueCategory | undefined) => number | null> {
  await ctx.tx
    .insertInto('module_categories')
    .values(CATALOGUE_CATEGORIES.map((name) => ({ name })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const all = await ctx.tx.selectFrom('module_categories').selectAll().execute()
  return (named) => all.find(({ name }) => name === named)?.id ?? null
}
