/** Applications for the founding beta: one for each address. */
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

/** Locked until the transaction ends; 404 when there is none. */
export async function lockApplication(ctx: PlatformCtx, id: number): Promise<Application> {
  const found = await ctx.tx.selectFrom('beta_applications').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!found) throw notFound('There is no such application.')
  return found
}

/**
 * Takes an application and answers its uuid (CEN-56). An address that has applied already gets the uuid of then, and nothing changes:
 * a stranger can neither overwrite an application nor learn that there is one. 403 while the beta takes none.
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

/** Judges an application. Leaving `invited` withdraws the invitation. 422 on `status` for what only inviting and registering do. */
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

/** The links of an application stop working. */
export const endInvites = (ctx: BaseCtx, application_id: number) =>
  ctx.tx.deleteFrom('beta_invites').where('application_id', '=', application_id).execute()
