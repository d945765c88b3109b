/**
 * Deletes and restores workspaces, together with their users and domain (CEN-23). The domain isn't deleted itself: it stays
 * reserved for the workspace and inactive meanwhile.
 */
import { sql } from 'kysely'
import { keepDirectory } from '#kernel/auth/directory.ts'
import type { PlatformCtx } from '#kernel/context.ts'
import { badRequest } from '#kernel/errors.ts'
import { publishAccess } from '#kernel/modules/access.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { endImpersonations } from '#platform/impersonation/public.ts'
import { eraseTenants } from './erasing.ts'
import { noteDeed, tell } from './telling.ts'
import { type LockedTenant, tenants } from './tenants.ts'

/** Soft-deletes the workspace with its live users. All of them are signed out. */
export async function deleteTenant(ctx: PlatformCtx, tenant: LockedTenant) {
  await endImpersonations(ctx, { tenant_id: tenant.id })
  await sql`
    with gone as (
      update users set deleted_at = ${ctx.now}, updated_at = ${ctx.now}, revision = revision + 1
      where tenant_id = ${tenant.id} and deleted_at is null returning id)
    insert into users_deleted_with_tenant (tenant_id, user_id) select ${tenant.id}, id from gone returning user_id`.execute(
    ctx.tx,
  )
  await keepDirectory(ctx, tenant.id)
  await ctx.tx.deleteFrom('access_tokens').where('tenant_id', '=', tenant.id).execute()
  await tenants.trash(ctx, tenant)
  publishAccess(ctx, tenant.id)
  await noteDeed(ctx, 'deleted', tenant)
}

/** Restores the workspace with exactly the users that were deleted with it. 400 for a live one. */
export async function restoreTenant(ctx: PlatformCtx, tenant: LockedTenant) {
  await tenants.restore(ctx, tenant)
  publishAccess(ctx, tenant.id)
  await sql`
    with back as (delete from users_deleted_with_tenant where tenant_id = ${tenant.id} returning user_id)
    update users set deleted_at = null, updated_at = ${ctx.now}, revision = revision + 1
    where tenant_id = ${tenant.id} and id in (select user_id from back)`.execute(ctx.tx)
  await keepDirectory(ctx, tenant.id)
  await noteDeed(ctx, 'restored', tenant)
}

/**
 * Deletes a workspace for good. 400 for a live one. From the reply on it can't be found or restored, and its slug is free. A job
 * erases its data and files in steps, because those of a large one are too much for a transaction.
 */
export async function forceDelete(ctx: PlatformCtx, tenant: LockedTenant) {
  if (tenant.deleted_at === null) throw badRequest('Delete the workspace first; only deleted ones can be removed for good.')
  await tenants.save(ctx, tenant, { erasing_since: ctx.now, slug: `erased-${tenant.uuid}` })
  await ctx.services.queue.send(ctx, eraseTenants, {})
  // In the platform's audit log, because the workspace's own is deleted with it.
  await audit(ctx, 'tenant_force_deleted', { tenant_id: tenant.id, company_name: tenant.company_name, slug: tenant.slug })
  await tell(ctx, 'force_deleted', tenant)
}

/** Deletes a live workspace for good: one that was never used. */
export async function endTenant(ctx: PlatformCtx, id: number) {
  await deleteTenant(ctx, await tenants.lock(ctx, id))
  await forceDelete(ctx, await tenants.lockAny(ctx, id))
}
