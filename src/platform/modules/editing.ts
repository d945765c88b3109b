/**
 * Editing of catalogue entries by an operator. Key, requirements and version of modules with code come from the code. Entries are
 * locked while they change, and installations read them with a lock, so that the two serialise.
 */
import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import type { Modules } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { changedFields } from '#kernel/records/changes.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { chargeableUnits, refuseFractions } from '#kernel/values/money.ts'
import { telling } from '#platform/events/public.ts'
import { catalogue } from './catalogue.ts'
import { plannedModules } from './planned.ts'
import type { ChangeModule, CreateModule } from './schema.ts'

export type CatalogueRow = Selectable<Modules>

/** Columns that follow the code until an operator changes them. */
const FOLLOWING = ['name', 'description', 'is_default_included'] as const

/** Adds an entry for a planned module. 422 on `key` if the catalogue has it, or if it belongs to every workspace. */
export async function addModule(ctx: PlatformCtx, body: z.output<typeof CreateModule>): Promise<CatalogueRow> {
  const code = ctx.services.modules.workspace.get(body.key)
  if (code?.core) throw invalid({ key: `${code.title} belongs to every workspace and is not sold.` })
  const currency = body.currency ?? (await platformSetting(ctx, 'currency'))
  const entry = { ...body, description: body.description ?? null, category_id: body.category_id ?? null, currency, requires: [] }
  if (!code) checkAgainstCode(ctx, body.key, body) // a module with code is rejected because its key is taken
  refuseFractions(currency, pricesOf(entry), chargeableUnits(currency))
  await checkCategory(ctx, entry.category_id)
  const set_by_operator = FOLLOWING.filter((column) => body[column])
  const added = await catalogue.insert(ctx, { ...entry, set_by_operator })
  await recordChange(ctx, 'created', added)
  return added
}

/** Changes the sent fields. From then on they override the code. */
export async function changeModule(ctx: PlatformCtx, entry: CatalogueRow, body: z.output<typeof ChangeModule>) {
  const changes = changedFields<Partial<CatalogueRow>>(entry, body, ['monthly_price', 'yearly_price'])
  const next = { ...entry, ...changes }
  checkAgainstCode(ctx, entry.key, changes)
  refuseFractions(next.currency, pricesOf(next), chargeableUnits(next.currency))
  await checkCategory(ctx, changes.category_id)
  if (isGiven(next) !== isGiven(entry)) await checkGift(ctx, next)
  const fields = Object.keys(changes)
  if (!fields.length) return
  const said = FOLLOWING.filter((column) => fields.includes(column))
  const set_by_operator = [...new Set([...entry.set_by_operator, ...said])]
  await catalogue.save(ctx, entry, { ...changes, set_by_operator })
  const changed = Object.entries(changes).map(([field, value]) => [field, [entry[field as keyof CatalogueRow], value]])
  await recordChange(ctx, 'updated', { ...entry, ...changes }, Object.fromEntries(changed))
}

/** Moves an entry to the trash (CEN-46). 422 on `module` while new workspaces get it or a workspace has it. */
export async function removeModule(ctx: PlatformCtx, entry: CatalogueRow) {
  if (entry.is_default_included) throw invalid({ module: 'Every new workspace gets this module: change that first.' })
  const installed = await ctx.tx
    .selectFrom('module_subscriptions')
    .select('id')
    .where('module_id', '=', entry.id)
    .where('status', 'in', LIVE)
    .limit(1)
    .executeTakeFirst()
  if (installed) throw invalid({ module: 'Workspaces have subscriptions to this module. Retire it, so that no more do.' })
  await catalogue.trash(ctx, entry)
  await recordChange(ctx, 'deleted', entry)
}

/** Restores an entry. 400 for a live one. */
export async function restoreModule(ctx: PlatformCtx, entry: CatalogueRow) {
  await catalogue.restore(ctx, entry)
  await recordChange(ctx, 'restored', entry)
}

/** Deletes an entry for good. 422 on `module` if there is code for it, which would add it again, or if it was ever installed. */
export async function forceModule(ctx: PlatformCtx, entry: CatalogueRow) {
  if (entry.deleted_at !== null && ctx.services.modules.workspace.has(entry.key))
    throw invalid({ module: 'There is code for this module: it can only be deleted until it is restored.' })
  await catalogue.force(ctx, entry)
  await recordChange(ctx, 'force_deleted', entry)
}

const DEEDS = ['created', 'updated', 'deleted', 'restored', 'force_deleted'] as const
const tell = telling({ kind: 'module', module: 'modules', may: 'modules.read', deeds: DEEDS })

/** Records a change in the audit log and the platform's feed, and invalidates caches of the catalogue. */
async function recordChange(
  ctx: PlatformCtx,
  deed: (typeof DEEDS)[number],
  { id, key, name }: CatalogueRow,
  changed?: Record<string, [unknown, unknown]>,
) {
  ctx.afterCommit(() => ctx.services.channel.publish('catalogue.changed', null))
  const event = deed === 'force_deleted' ? 'module_deleted_for_good' : (`module_${deed}` as const)
  await audit(ctx, event, { module_id: id, key, ...(changed ? { fields: Object.keys(changed) } : {}) })
  await tell(ctx, deed, [{ id, label: name, data: { key }, changed }])
}

/** Rejects values that contradict the code. */
function checkAgainstCode(ctx: PlatformCtx, key: string, { availability, version }: Partial<CatalogueRow>) {
  const code = ctx.services.modules.workspace.get(key)
  if (availability && (availability === 'planned') === Boolean(code))
    throw invalid({
      availability: code
        ? `There is code for ${key}: it is available, or in-progress.`
        : `There is no code for ${key}: it can only be planned.`,
    })
  const declared = code ? (code.version ?? '1.0.0') : plannedModules.find((planned) => planned.key === key)?.version
  if (version && declared && version !== declared) throw invalid({ version: `The code says which version it is: ${declared}.` })
}

const pricesOf = ({ monthly_price, yearly_price }: { monthly_price: string; yearly_price: string }) => ({
  monthly_price,
  yearly_price,
})

async function checkCategory(ctx: PlatformCtx, id: number | null | undefined) {
  if (id == null) return
  const found = await ctx.tx.selectFrom('module_categories').select('id').where('id', '=', id).executeTakeFirst()
  if (!found) throw invalid({ category_id: 'There is no such category.' })
}

/** Returns whether new workspaces get the module. */
const isGiven = ({ is_default_included, status, availability }: CatalogueRow) =>
  is_default_included && status === 'published' && availability === 'available'

/**
 * Ensures that new workspaces get a module only together with its requirements, because nothing is installed implicitly (GEN-07).
 * Such changes are serialised: two concurrent ones could omit a requirement.
 */
async function checkGift(ctx: PlatformCtx, entry: CatalogueRow) {
  await sql`select pg_advisory_xact_lock(hashtext('modules.is_default_included'))`.execute(ctx.tx)
  const { workspace } = ctx.services.modules
  const others = await ctx.tx
    .selectFrom('modules')
    .selectAll()
    .where('id', '!=', entry.id)
    .where('deleted_at', 'is', null)
    .execute()
  const given = others.filter(isGiven)
  const missing = entry.requires.filter((key) => !workspace.get(key)?.core && !given.some((one) => one.key === key))
  const refuse = (why: string) => invalid({ is_default_included: why })
  if (isGiven(entry) && missing.length) throw refuse(`It requires ${missing.join(', ')}, which new workspaces don't get.`)
  const dependents = given.filter(({ requires }) => requires.includes(entry.key)).map(({ key }) => key)
  if (!isGiven(entry) && dependents.length) throw refuse(`New workspaces get ${dependents.join(', ')}, which requires it.`)
}
