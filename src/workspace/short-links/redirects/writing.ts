/** Writes clicks, all or nothing. */
import { sql } from 'kysely'
import pg from 'pg'
import { allPipelined, type Tx } from '#kernel/database/connect.ts'
import { sumUp } from './summing.ts'
import { deviceOf, referrerOf } from './visitor.ts'

export interface Click {
  tenantId: number
  linkId: number
  at: string
  /** Raw headers. */
  referrer: string | null
  userAgent: string | null
}

/** Number of a link's clicks from which they are aggregated; analytics read fewer one by one. */
const MAX_UNSUMMED = 1000

/**
 * Writes clicks of one workspace in its transaction. One process at a time, to avoid deadlocks on links. Bots are logged but not
 * counted; clicks of purged links are dropped.
 */
export async function writeClicks(tx: Tx, tenantId: number, clicks: Click[]) {
  const rows = clicks.map(({ linkId, at, referrer, userAgent }) => ({
    link_id: linkId,
    clicked_at: at,
    device_type: deviceOf(userAgent),
    referrer: referrerOf(referrer),
    user_agent: userAgent,
  }))
  const [, { rows: many }] = await allPipelined(
    lockClicks(tx, tenantId),
    sql<{ id: number; summed_up_to: number }>`
      with given as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as g (link_id bigint, clicked_at timestamptz, device_type text, referrer text, user_agent text)
      ), counted as (
        update short_links l set click_count = click_count + people, last_clicked_at = greatest(last_clicked_at, latest),
          unsummed_clicks = unsummed_clicks + clicks
        from (
          select link_id, count(*) as clicks, count(*) filter (where device_type <> 'bot') as people,
            max(clicked_at) filter (where device_type <> 'bot') as latest
          from given group by link_id
        ) g
        where l.tenant_id = ${tenantId} and l.id = g.link_id returning l.id, l.unsummed_clicks, l.summed_up_to
      ), logged as (
        insert into short_link_clicks (tenant_id, link_id, clicked_at, device_type, referrer, user_agent)
        select ${tenantId}::bigint, link_id, clicked_at, device_type, referrer, user_agent from given join counted on counted.id = link_id
        returning id
      )
      select id, summed_up_to from counted where unsummed_clicks >= ${MAX_UNSUMMED}`.execute(tx),
  )
  for (const link of many) await sumUp(tx, tenantId, link)
}

/** Lock that serialises writing and counting the clicks of a workspace. */
export const lockClicks = (tx: Tx, tenantId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended('short-link clicks', ${tenantId}))`.execute(tx)

/** Deletes clicks of a link whose row the transaction has locked. */
export const deleteClicks = (tx: Tx, tenantId: number, linkId: number) =>
  tx.deleteFrom('short_link_clicks').where('tenant_id', '=', tenantId).where('link_id', '=', linkId).execute()

/** Returns whether a retry would fail again: the error is in the data (data exception, constraint violation), not transient. */
export const isRefused = (error: unknown) => error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')
