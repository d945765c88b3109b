/**
 * The directory: of each account of a workspace what signing in asks before it knows the workspace. On one machine triggers of `users` keep it. On a cluster it is on the
 * coordinator, where a machine that is down doesn't take it along, and out of reach of triggers, which are beside the users.
 */
import { sql } from 'kysely'
import type { BaseCtx } from '../context.ts'

/**
 * On a cluster, puts accounts of a workspace into the directory as they are by now, all of them where none are named: called behind whatever writes to `users`, in
 * the same transaction. Elsewhere nothing is left to do.
 */
export async function keepDirectory({ services, tx }: Pick<BaseCtx, 'services' | 'tx'>, tenantId: number, ids?: number[]) {
  if (!services.database.isCluster) return
  let accounts = tx
    .selectFrom('users')
    .select(['tenant_id', 'id as user_id', 'email', 'password_hash'])
    .select(sql<boolean>`email_verified_at is not null`.as('is_verified'))
    .where('tenant_id', '=', tenantId)
    .where('deleted_at', 'is', null)
    .where('is_service', '=', false)
  let former = tx.deleteFrom('sign_in_directory').where('tenant_id', '=', tenantId)
  if (ids) {
    accounts = accounts.where('id', 'in', ids)
    former = former.where('user_id', 'in', ids)
  }
  const live = await accounts.execute()
  await former.execute()
  if (live.length)
    await sql`
      insert into sign_in_directory (tenant_id, user_id, email, password_hash, is_verified)
      select * from jsonb_to_recordset(${JSON.stringify(live)}::jsonb)
        as l (tenant_id bigint, user_id bigint, email text, password_hash text, is_verified boolean) returning 1`.execute(tx)
}
