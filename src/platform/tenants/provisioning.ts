/** How a workspace is born: the tenant, its roles, its owner and the modules that every workspace has. One transaction. */
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
   * Its password is hashed beforehand, outside the transaction; without one the owner is invited. `unasked`: whoever provisions asks for
   * the proof of the address.
   */
  owner: { name: string; email: string; password_hash?: string | null; verified?: boolean; unasked?: boolean }
}

/** Makes a workspace. The owner gets a mail: to verify the address, or an invitation when there is no password. */
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
      slug: await freeSlug(ctx, input.slug, workspace_name),
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

/** The given slug, which must be free (422 on `slug`), or one made from the name and counted up until it is. */
export async function freeSlug(ctx: BaseCtx, wanted: string | undefined, name: string) {
  // One at a time from here to the commit: two workspaces of one name don't count up to the same slug.
  await sql`select pg_advisory_xact_lock(hashtext('tenants.slug'))`.execute(ctx.tx)
  const base = wanted ?? slugify(name)
  const taken = await ctx.tx.selectFrom('tenants').select('slug').where('slug', 'like', `${base}%`).execute()
  const isFree = (slug: string) => !RESERVED.has(slug) && !taken.some((row) => row.slug === slug)
  if (isFree(base)) return base
  if (wanted !== undefined)
    throw invalid({ slug: RESERVED.has(base) ? 'This slug is reserved.' : 'Another workspace has this slug.' })
  for (let n = 2; ; n++) if (isFree(`${base}-${n}`)) return `${base}-${n}`
}

const slugify = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-|-$/g, '') || 'workspace'

/** Never everyday work: who may do these decides for others. */
const UNCOMMON = new Set(['users.create', 'users.update', 'roles.create', 'roles.update', 'settings.update', 'audit-logs.view'])

/** The owner's role, one that may everything else (by rule), and one for everyday work, which grows by what is installed. Returns the owner's. */
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
    .forKeyShare() // as an installation does
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
