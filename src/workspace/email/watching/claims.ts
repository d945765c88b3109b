/** Which process watches a mailbox: it claims it for a minute and a half, and again meanwhile. By the database's clock. */
import { sql } from 'kysely'
import { inPublic, originOf, type Services, type WorkspaceSteps } from '#kernel/context.ts'
import type { Row } from '#kernel/records/resource.ts'

const LEASE = sql`clock_timestamp() + interval '90 seconds'`
const LOOKED = sql`a.looked_at > clock_timestamp() - interval '10 minutes'`

export interface Place {
  tenant_id: number
  id: number
}
export type Account = Row<'email_accounts'>

/** Undefined where another process watches it, or nobody looks any more. */
export const claim = (steps: WorkspaceSteps, watcher: string, id: number): Promise<Account | undefined> =>
  steps.write(async (ctx) => {
    const { rows } = await sql<Account>`
      update email_accounts a set watcher = ${watcher}, watched_until = ${LEASE}
      where tenant_id = ${ctx.tenant.id} and id = ${id} and removed_at is null and ${LOOKED}
        and (watched_until is null or watched_until < clock_timestamp()) returning a.*`.execute(ctx.tx)
    return rows[0]
  })

/** Those that are still ours to watch. */
export const renew = (services: Services, watcher: string, places: Place[]): Promise<Place[]> =>
  inPublic(originOf(services), 'write', async (ctx) => {
    const { rows } = await sql<Place>`
      update email_accounts a set watched_until = ${LEASE}
      from ${recordset(places)}, users u
      where a.tenant_id = place.tenant_id and a.id = place.id and a.watcher = ${watcher} and a.removed_at is null and ${LOOKED}
        and u.tenant_id = a.tenant_id and u.id = a.user_id and u.deleted_at is null and u.suspended_at is null
      returning a.tenant_id, a.id`.execute(ctx.tx)
    return rows
  })

export const release = (services: Services, watcher: string, places: Place[]) =>
  inPublic(originOf(services), 'write', (ctx) =>
    sql`update email_accounts a set watcher = null, watched_until = null from ${recordset(places)}
      where a.tenant_id = place.tenant_id and a.id = place.id and a.watcher = ${watcher}`.execute(ctx.tx),
  )

const recordset = (places: Place[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(places.map(({ tenant_id, id }) => ({ tenant_id, id })))}::jsonb) as place (tenant_id bigint, id bigint)`
