/** Workspaces as the operator sees them. */
import { sql } from 'kysely'
import type { z } from 'zod'
import { markVerified } from '#kernel/auth/addresses.ts'
import { checkPasswordRules, hashPassword } from '#kernel/auth/passwords.ts'
import type { BaseCtx, PlatformCtx, PlatformSteps } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { changedFields } from '#kernel/records/resource.ts'
import { readOne } from '#kernel/records/view.ts'
import { discardFile, keepUpload, type Upload } from '#kernel/storage/uploads.ts'
import { freeSlug, provision } from './provisioning.ts'
import { type CreateTenant, type Entitlements, Tenant, TenantDetail, type UpdateTenant } from './schema.ts'

export const tenantList = listing(platformTable('tenants', Tenant), {
  search: ['company_name', 'workspace_name', 'slug', 'email'],
  filters: { status: filter.oneOf('status', ['active', 'suspended']) },
})

export const showTenant = (ctx: BaseCtx, id: number) =>
  readOne(ctx, TenantDetail, 'tenants', sql`tenants.id = ${id} and tenants.deleted_at is null`, {
    noun: 'workspace',
    revised: true,
  })

/** The live workspace, locked; 404 otherwise. */
export async function lockTenant(ctx: PlatformCtx, id: number) {
  const tenant = await ctx.tx
    .selectFrom('tenants')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!tenant) throw notFound('There is no such workspace.')
  return tenant
}

export type LockedTenant = Awaited<ReturnType<typeof lockTenant>>

/** Makes a workspace with its default modules (CEN-22). The owner is the sent one, else the workspace's own address. */
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
    return showTenant(ctx, id)
  })
}

/** Changes what was sent. The domain follows the slug; a sent one is ignored (CEN-21). */
export async function updateTenant(ctx: PlatformCtx, tenant: LockedTenant, body: z.output<typeof UpdateTenant>, logo?: Upload) {
  if (body.slug !== undefined && body.slug !== tenant.slug) await freeSlug(ctx, body.slug, body.slug)
  const changes = changedFields(tenant, body)
  if (Object.keys(changes).length)
    await ctx.tx
      .updateTable('tenants')
      .set({ ...changes, updated_at: ctx.now, revision: sql`revision + 1` })
      .where('id', '=', tenant.id)
      .execute()
  if (logo) await keepLogo(ctx, tenant.id, logo)
  return showTenant(ctx, tenant.id)
}

/** Makes an uploaded picture the workspace's logo; the former one goes when the change is committed. */
async function keepLogo(ctx: PlatformCtx, tenantId: number, logo: Upload) {
  await keepUpload(ctx, logo)
  const before = await ctx.tx.selectFrom('tenants').select('logo_path').where('id', '=', tenantId).executeTakeFirstOrThrow()
  await ctx.tx
    .updateTable('tenants')
    .set({ logo_path: logo.key, updated_at: ctx.now, revision: sql`revision + 1` })
    .where('id', '=', tenantId)
    .execute()
  if (before.logo_path) await discardFile(ctx, before.logo_path)
}

/** Marks the owner's address as verified (CEN-26). */
export async function verifyOwner(ctx: PlatformCtx, tenant: LockedTenant) {
  const owner = await ctx.tx
    .selectFrom('users')
    .select('id')
    .where('tenant_id', '=', tenant.id)
    .where('is_owner', '=', true)
    .executeTakeFirst()
  if (!owner) throw invalid({ tenant: 'This workspace has no owner.' })
  await markVerified(ctx, { tenant_id: tenant.id, user_id: owner.id })
  return showTenant(ctx, tenant.id)
}

/** What the workspace may use: the core, and the modules installed in it (CEN-28). */
export async function entitlements(ctx: PlatformCtx, id: number): Promise<z.input<typeof Entitlements>> {
  const { installed_modules } = JSON.parse((await showTenant(ctx, id)).text)
  const core = [...ctx.services.modules.workspace.values()].filter((module) => module.core)
  return { core: core.map(({ key, title }) => ({ key, name: title })), modules: installed_modules }
}
