/** How many messages a folder holds: from the tallies that the database keeps by folder (as `assigned_to`) and by whether they are read (as `status`). */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'

/** An SQL expression; `folderId` is a value or a column. */
export const countIn = (ctx: Ctx, folderId: RawBuilder<unknown>, which: 'all' | 'unread') => sql<number>`(
  select coalesce(sum(n), 0)::int from record_tallies
  where tenant_id = ${ctx.tenant.id} and kind = 'email_messages' and assigned_to = ${folderId}
    ${which === 'unread' ? sql`and status = 'false'` : sql``})`
