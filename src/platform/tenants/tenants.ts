/** Workspaces, for operators. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { markVerified } from '#kernel/auth/addresses.ts'
import { checkPasswordRules, hashPassword } from '#kernel/auth/passwords.ts'
import type { PlatformCtx, PlatformSteps } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { publishAccess } from '#kernel/modules/access.ts'
import { changedFields } from '#kernel/records/changes.ts'
import { filter, filterOf, listing } from '#kernel/records/listing.ts'
import { type PlatformResource, platformResource } from '#kernel/records/platform-resource.ts'
import { keepUpload, type Upload } from '#kernel/storage/uploads.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { enterWorkspace } from '#kernel/tenancy/session.ts'
import { queryFlag } from '#kernel/values/fields.ts'
import { replaceLogo } from '#workspace/issued-documents/public.ts'
import { provision, takeSlug } from './provisioning.ts'
import { type CreateTenant, type Entitlements, Tenant, TenantDetail, type UpdateTenant } from './schema.ts'
import { noteDeed } from './telling.ts'

const all = platformResource({ table: 'tenants', noun: 'workspace', item: Tenant, detail: TenantDetail, title: 'workspace_name' })

/** Workspaces that are being erased count as deleted. */
export const tenants: PlatformResource<'tenants', typeof Tenant, typeof TenantDetail> = {
  ...all,
  listed: { ...all.listed, scope: () => sql`tenants.erasing_since is null` },
  async lockAny(ctx, id) {
    const tenant = await all.lockAny(ctx, id)
    if (tenant.erasing_since) throw notFound('There is no such workspace.')
    return tenant
  },
}

export type LockedTenant = Awaited<ReturnType<typeof tenants.lock>>

export const tenantList = listing(tenants.listed, {
  search: ['company_name', 'workspace_name', 'slug', 'email'],
  filters: {
    status: filter.oneOf('status', ['active', 'suspended']),
    archived: filterOf({
      schema: queryFlag(),
      where: (_, value, column) => sql`(${column('archived_at')} is not null) = ${value}`,
    }),
  },
})

/** Creates a workspace with its default modules (CEN-22). The owner's address defaults to the workspace's. */
export async function createTenant(
  steps: PlatformSteps,
  { owner_name, owner_email, owner_password, ...body }: z.output<typeof CreateTenant>,
  logo?: Upload,
) {
  if (owner_password !== undefined) await steps.read((ctx) => checkPasswordRules(ctx, owner_password, 'owner_password'))
  const password_hash = owner_password === undefined ? null : await hashPassword(owner_password)
  const owner = { name: owner_name ?? body.company_name, email: owner_email ?? body.email, password_hash }
  return steps.finish(async (ctx) => {
    const { id } = await provision(ctx, { ...body, owner })
    if (logo) await keepLogo(ctx, id, logo)
    await audit(ctx, 'tenant_created', { company_name: body.company_name }, id)
    return tenants.shown(ctx, id)
  })
}

/** Changes the sent fields. The domain follows the slug; a sent one is ignored (CEN-21). */
export async function updateTenant(ctx: PlatformCtx, tenant: LockedTenant, body: z.output<typeof UpdateTenant>, logo?: Upload) {
  if (body.slug !== undefined && body.slug !== tenant.slug) await takeSlug(ctx, body.slug)
  const changes = changedFields(tenant, body)
  await tenants.save(ctx, tenant, changes)
  if (logo) await keepLogo(ctx, tenant.id, logo)
  const fields = [...Object.keys(changes), ...(logo ? ['logo'] : [])]
  const { status } = changes
  if (status) publishAccess(ctx, tenant.id)
  if (fields.length) {
    const changed = Object.fromEntries(
      Object.entries(changes).map(([field, now]) => [field, [tenant[field as 'slug'], now] as [unknown, unknown]]),
    )
    await noteDeed(ctx, 'updated', { ...tenant, ...changes }, { audited: { fields, ...(status ? { status } : {}) }, changed })
  }
  return tenants.shown(ctx, tenant.id)
}

/** Makes an uploaded picture the workspace's logo. The file then belongs to the workspace. */
async function keepLogo(ctx: PlatformCtx, id: number, logo: Upload) {
  await keepUpload(ctx, logo)
  const kept = await ctx.tx
    .deleteFrom('stored_files')
    .where('tenant_id', '=', logo.tenantId)
    .where('key', '=', logo.key)
    .returningAll()
    .executeTakeFirstOrThrow()
  await ctx.tx
    .insertInto('stored_files')
    .values({ ...kept, tenant_id: id })
    .execute()
  await ctx.tx.updateTable('tenants').set({ updated_at: ctx.now, revision: sql`revision + 1` }).where('id', '=', id).execute()
  await enterWorkspace(ctx, id, (workspace) => replaceLogo(workspace, logo.key))
}

/** Archives a workspace: closes it to its users and keeps its data. No effect if it is archived already (CEN-24). */
export async function archive(ctx: PlatformCtx, tenant: LockedTenant) {
  if (tenant.archived_at !== null) return
  await tenants.save(ctx, tenant, { archived_at: ctx.now })
  publishAccess(ctx, tenant.id)
  await noteDeed(ctx, 'archived', tenant)
}

/** Reopens an archived workspace. */
export async function unarchive(ctx: PlatformCtx, tenant: LockedTenant) {
  if (tenant.archived_at === null) return
  await tenants.save(ctx, tenant, { archived_at: null })
  publishAccess(ctx, tenant.id)
  await noteDeed(ctx, 'unarchived', tenant)
}

/** Marks the owner's address as verified (CEN-26). */
export async function verifyOwner(ctx: PlatformCtx, tenant: LockedTenant) {
  const owner = await ctx.tx
    .selectFrom('users')
    .select(['id', 'email_verified_at'])
    .where('tenant_id', '=', tenant.id)
    .where('is_owner', '=', true)
    .executeTakeFirst()
  if (!owner) throw invalid({ tenant: 'This workspace has no owner.' })
  if (owner.email_verified_at !== null) return
  await markVerified(ctx, { tenant_id: tenant.id, user_id: owner.id })
  await noteDeed(ctx, 'owner_verified', tenant, { audited: { user_id: owner.id } })
}

/** Returns what the workspace may use: the core and its installed modules (CEN-28). */
export async function entitlements(ctx: PlatformCtx, id: number): Promise<z.input<typeof Entitlements>> {
  const { installed_modules } = JSON.parse((await tenants.show(ctx, id)).text)
  const core = [...ctx.services.modules.workspace.values()].filter((module) => module.core)
  return { core: core.map(({ key, title }) => ({ key, name: title })), modules: installed_modules }
}
