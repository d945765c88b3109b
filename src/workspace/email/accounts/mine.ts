/** What belongs to one user alone (EML-01, EML-02): nobody else sees it, not even the owner of the workspace. */
import { type SqlBool, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { LookupTableName } from '#kernel/records/lookup-table.ts'

/** The scope of a table whose rows belong to an account: those of the actor's accounts. */
export const ofMyAccounts = (table: Extract<LookupTableName, `email_${string}`>) => (ctx: Ctx) =>
  sql<SqlBool>`${sql.ref(`${table}.account_id`)} in (
    select id from email_accounts where tenant_id = ${ctx.tenant.id} and user_id = ${ctx.actor.id} and removed_at is null)`
