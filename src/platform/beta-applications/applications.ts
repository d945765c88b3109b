/** Applications for the founding beta, one per address. */
import { type Selectable, sql, type Updateable } from 'kysely'
import type { z } from 'zod'
import type { BaseCtx, PlatformCtx, PublicCtx } from '#kernel/context.ts'
import { forbidden, invalid, notFound } from '#kernel/errors.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { readOne } from '#kernel/records/view.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { type Apply, BetaApplication, type ChangeApplication, STATUSES } from './schema.ts'
import type { BetaApplications } from './tables.ts'

export type Application = Selectable<BetaApplications>

/** CEN-63. */
export const applications = listing(platformTable('beta_applications', BetaApplication), {
  sorts: ['created_at', 'updated_at', 'name', 'status'],
  search: ['name', 'email', 'company'],
  filters: { status: filter.oneOf('status', STATUSES) },
  hardDeleted: true,
})

export const showApplication = (ctx: PlatformCtx, id: number) =>
  readOne(ctx, BetaApplication, 'beta_applications', sql`beta_applications.id = ${id}`, { noun: 'application', revised: true })

/** Locks an application until the transaction ends. 404 if it doesn't exist. */
export async function lockApplication(ctx: PlatformCtx, id: number): Promise<Application> {
  const found = await ctx.tx.selectFrom('beta_applications').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!found) throw notFound('There is no such application.')
  return found
}

/**
 * Stores an application and returns its uuid (CEN-56). For an address that has already applied it returns the existing uuid and
 * changes nothing. Strangers can therefore neither overwrite an application nor learn of one. 403 while the beta is closed.
 */
export async function apply(ctx: PublicCtx, body: z.output<typeof Apply>) {
  if (!(await platformSetting(ctx, 'founding_beta_enabled'))) throw forbidden('The founding beta takes no applications.')
  const applied = await ctx.tx
    .insertInto('beta_applications')
    .values({ ...body, created_at: ctx.now, updated_at: ctx.now })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('uuid')
    .executeTakeFirst()
  if (applied) return applied
  return ctx.tx.selectFrom('beta_applications').select('uuid').where('email', '=', body.email).executeTakeFirstOrThrow()
}

/**
 * Changes the status or notes of an application. Leaving `invited` withdraws the invitation. 422 on `status` for values that only
 * an invitation or a registration sets.
 */
export async function judge(ctx: PlatformCtx, application: Application, body: z.output<typeof ChangeApplication>) {
  const { status = application.status, internal_notes = application.internal_notes } = body
  const refuse = (why: string) => invalid({ status: why })
  if (status !== application.status) {
    if (application.status === 'activated') throw refuse('This application has become a workspace: it stays activated.')
    if (status === 'invited') throw refuse('Send an invitation instead: POST …/invite.')
    if (status === 'activated') throw refuse('Registering with the invitation does that.')
    if (application.status === 'invited') await endInvites(ctx, application.id)
    await audit(ctx, 'beta_application_judged', { beta_application_id: application.id, from: application.status, to: status })
  } else if (internal_notes === application.internal_notes) return
  await saveApplication(ctx, application.id, { status, internal_notes })
}

export const saveApplication = (ctx: BaseCtx, id: number, changes: Updateable<BetaApplications>) =>
  ctx.tx
    .updateTable('beta_applications')
    .set({ ...changes, updated_at: ctx.now, revision: sql`revision + 1` })
    .where('id', '=', id)
    .execute()

/** Deletes an application's invitation links. */
export const endInvites = (ctx: BaseCtx, application_id: number) =>
  ctx.tx.deleteFrom('beta_invites').where('application_id', '=', application_id).execute()
