/** Creates the first platform user: from ADMIN_EMAIL and ADMIN_PASSWORD, or by a one-time link that is printed at start. */

import { lockAccount } from '#kernel/auth/accounts.ts'
import { hashPassword } from '#kernel/auth/passwords.ts'
import { setPassword } from '#kernel/auth/sign-in.ts'
import { issueOneTimeToken } from '#kernel/auth/tokens.ts'
import { inPublic, originOf, type Services } from '#kernel/context.ts'
import { SUPERADMIN, seededRoles } from '#platform/roles/public.ts'

const WEEK = 7 * 24 * 3600

/** Seeds the roles once and ensures that someone can sign in. Returns a set-up link if nobody can yet. */
export async function ensureFirstAdmin(services: Services): Promise<string | undefined> {
  const { config } = services
  const password_hash = config.ADMIN_PASSWORD ? await hashPassword(config.ADMIN_PASSWORD) : undefined
  return inPublic(originOf(services), 'write', async (ctx) => {
    const { tx, now } = ctx
    await tx
      .insertInto('platform_roles')
      .values(seededRoles.map((role) => ({ ...role, created_at: now, updated_at: now })))
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    // Locks the role, so that two processes starting at once create one admin.
    const { id: role_id } = await tx
      .selectFrom('platform_roles')
      .select('id')
      .where('name', '=', SUPERADMIN)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const admins = await tx
      .selectFrom('platform_user_roles as ur')
      .innerJoin('platform_users as u', 'u.id', 'ur.user_id')
      .select(['u.id', 'u.password_hash'])
      .where('ur.role_id', '=', role_id)
      .where('u.deleted_at', 'is', null)
      .execute()
    if (admins.some((admin) => admin.password_hash)) return undefined

    let id = admins[0]?.id
    if (id === undefined) {
      const values = {
        name: 'Administrator',
        email: config.ADMIN_EMAIL ?? 'admin@atrium.localhost',
        email_verified_at: now,
        created_at: now,
        updated_at: now,
      }
      const user = await tx.insertInto('platform_users').values(values).returning('id').executeTakeFirstOrThrow()
      id = user.id
      await tx.insertInto('platform_user_roles').values({ user_id: id, role_id }).execute()
    } else if (config.ADMIN_EMAIL)
      await tx.updateTable('platform_users').set({ email: config.ADMIN_EMAIL, updated_at: now }).where('id', '=', id).execute()

    const account = { tenant_id: null, user_id: id }
    if (password_hash) {
      await setPassword(ctx, account, password_hash)
      return undefined
    }
    const { email: present } = await lockAccount(ctx, account)
    return issueOneTimeToken(ctx, account, 'set-up', { email: present }, { seconds: WEEK })
  })
}
