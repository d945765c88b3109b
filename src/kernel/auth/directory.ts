/**
 * Sign-in directory: the account data that sign-in needs before the workspace is known. On a single server, triggers of `users`
 * maintain it. On a cluster it is on the coordinator, so that it stays available while a node is down; triggers, which run where
 * the users are, can't reach it.
 */
import { sql } from 'kysely'
import type { BaseCtx } from '../context.ts'

/**
 * On a cluster, copies the current state of a workspace's accounts into the directory; all accounts if no ids are given. Must be
 * called after every write to `users`, in the same transaction. Does nothing on a single server.
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
