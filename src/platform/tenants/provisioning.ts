/** Creates a workspace in one transaction: the tenant, its roles, its owner and the default modules. */
import { sql } from 'kysely'
import { askForProof } from '#kernel/auth/addresses.ts'
import { keepDirectory } from '#kernel/auth/directory.ts'
import type { BaseCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { everydayPermissions } from '#kernel/modules/permissions.ts'
import { readPlatformSettings } from '#kernel/modules/platform-settings.ts'
import { moveIn } from './installation.ts'
import { tell } from './telling.ts'

export interface NewTenant {
  company_name: string
  workspace_name?: string
  slug?: string
  email: string
  phone?: string | null
  notes?: string | null
  status?: 'active' | 'suspended'
  timezone?: string
  currency?: string
  country?: string | null
  locale?: string
  storage_allowance_bytes?: number
  /**
   * First user. The password must be hashed outside the transaction; without one the owner is invited. `unasked`: the caller
   * requests the address confirmation itself.
   */
  owner: { name: string; email: string; password_hash?: string | null; verified?: boolean; unasked?: boolean }
}

/** Creates a workspace. The owner gets a mail: to confirm the address, or an invitation if there is no password. */
export async function provision(ctx: BaseCtx, { owner, ...input }: NewTenant): Promise<{ id: number; ownerId: number }> {
  const password_hash = owner.password_hash ?? null
  const workspace_name = input.workspace_name ?? input.company_name
  const house = await readPlatformSettings(ctx, ['timezone', 'currency', 'locale'])
  const tenant = await ctx.tx
    .insertInto('tenants')
    .values({
      ...input,
      timezone: input.timezone ?? house.timezone,
      currency: input.currency ?? house.currency,
      locale: input.locale ?? house.locale,
      workspace_name,
      slug: input.slug === undefined ? await slugFrom(ctx, workspace_name) : await takeSlug(ctx, input.slug),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .returning(['id', 'slug', 'workspace_name'])
    .executeTakeFirstOrThrow()
  await tell(ctx, 'created', tenant)
  const ownerRole = await seedRoles(ctx, tenant.id)
  const user = await ctx.tx
    .insertInto('users')
    .values({
      tenant_id: tenant.id,
      name: owner.name,
      email: owner.email,
      is_owner: true,
      password_hash,
      email_verified_at: owner.verified ? ctx.now : null,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await keepDirectory(ctx, tenant.id, [user.id])
  await ctx.tx.insertInto('user_roles').values({ tenant_id: tenant.id, user_id: user.id, role_id: ownerRole }).execute()
  await includeDefaults(ctx, tenant.id)
  if (!owner.unasked && (password_hash === null || !owner.verified))
    await askForProof(ctx, { tenant_id: tenant.id, user_id: user.id }, { ...owner, password_hash })
  return { id: tenant.id, ownerId: user.id }
}

const RESERVED = new Set([
  'admin',
  'api',
  'app',
  'docs',
  'files',
  'health',
  'login',
  'mail',
  'platform',
  'r',
  'status',
  'support',
  'www',
])

/** Serialises slug assignment until the commit, so that two workspaces can't take the same one. */
const lockSlugs = ({ tx }: BaseCtx) => sql`select pg_advisory_xact_lock(hashtext('tenants.slug'))`.execute(tx)

/** Reserves a chosen slug until the commit. 422 on `slug` if it isn't available. */
export async function takeSlug(ctx: BaseCtx, slug: string): Promise<string> {
  if (RESERVED.has(slug)) throw invalid({ slug: 'This slug is reserved.' })
  await lockSlugs(ctx)
  const taken = await ctx.tx.selectFrom('tenants').select('id').where('slug', '=', slug).executeTakeFirst()
  if (taken) throw invalid({ slug: 'Another workspace has this slug.' })
  return slug
}

/** Returns a slug made from a name. If it is taken or reserved, appends the lowest free number from 2 on. */
async function slugFrom(ctx: BaseCtx, name: string): Promise<string> {
  await lockSlugs(ctx)
  const base = slugify(name)
  const numbered = `^${base}-([1-9][0-9]{0,8})$`
  const { rows } = await sql<{ is_taken: boolean; free: number }>`
    with taken as (
      select coalesce(substring(slug from ${numbered}::text)::int, 0) as n from tenants where slug = ${base} or slug ~ ${numbered}
    )
    select exists (select from taken where n = 0) as is_taken, (
      select min(n) + 1 from (select 1 as n union select n from taken where n > 0) known
      where not exists (select from taken higher where higher.n = known.n + 1)) as free`.execute(ctx.tx)
  const { is_taken, free } = rows[0]!
  return is_taken || RESERVED.has(base) ? `${base}-${free}` : base
}

const slugify = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-|-$/g, '') || 'workspace'

/** Permissions that are never everyday work, because they affect other users. */
const UNCOMMON = new Set(['users.create', 'users.update', 'roles.create', 'roles.update', 'settings.update', 'audit-logs.view'])

/**
 * Creates the owner's role, a role with all other permissions (by rule), and one for everyday work, which grows with installed
 * modules. Returns the owner's.
 */
async function seedRoles(ctx: BaseCtx, tenantId: number) {
  const { modules } = ctx.services
  const core = [...modules.workspace.values()].filter((module) => module.core)
  const everyday = core.flatMap(({ key }) => everydayPermissions(modules, key)).filter((name) => !UNCOMMON.has(name))
  const stamps = { tenant_id: tenantId, created_at: ctx.now, updated_at: ctx.now }
  const rows = await ctx.tx
    .insertInto('roles')
    .values([
      { ...stamps, kind: 'owner', name: 'superadmin', description: 'The owner: may everything', is_protected: true },
      { ...stamps, kind: 'admin', name: 'admin', description: 'May everything but own the workspace', is_protected: false },
      { ...stamps, kind: 'member', name: 'member', description: 'Everyday work', permissions: everyday, is_protected: false },
    ])
    .returning(['id', 'kind'])
    .execute()
  return rows.find((role) => role.kind === 'owner')!.id
}

async function includeDefaults(ctx: BaseCtx, tenantId: number) {
  const defaults = await ctx.tx
    .selectFrom('modules')
    .select(['id', 'key'])
    .where('is_default_included', '=', true)
    .where('availability', '=', 'available')
    .where('status', '=', 'published')
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forKeyShare() // as for an installation
    .execute()
  if (!defaults.length) return
  await ctx.tx
    .insertInto('module_subscriptions')
    .values(
      defaults.map((module) => ({
        tenant_id: tenantId,
        module_id: module.id,
        module_key: module.key,
        source: 'included' as const,
        status: 'active' as const,
        created_at: ctx.now,
        updated_at: ctx.now,
      })),
    )
    .execute()
  for (const { key } of defaults) await moveIn(ctx, tenantId, key)
}
