/** Writing clicks and what is counted of them, all or nothing. */
import { sql } from 'kysely'
import pg from 'pg'
import { type Tx, together } from '#kernel/database/connect.ts'
import type { Click } from './clicks.ts'
import { deviceOf, referrerOf } from './visitor.ts'

/** Sites told apart for a link, give or take a batch; clicks from further ones are counted together. */
const MOST_REFERRERS = 500
export const OTHER_REFERRERS = '(other)'

/**
 * Clicks of one workspace, in a transaction of it. Its links are locked first, in the order of their ids: whoever else
 * writes clicks of one of them waits, so counters are exact and nobody waits in a circle. Clicks of links that are gone are dropped.
 * Bots are logged, and counted as such only.
 */
export async function writeClicks(tx: Tx, tenantId: number, clicks: Click[]) {
  const rows = clicks.map(({ linkId, at, referrer, userAgent }) => ({
    link_id: linkId,
    clicked_at: at,
    device_type: deviceOf(userAgent),
    referrer: referrerOf(referrer),
    user_agent: userAgent,
  }))
  const ids = [...new Set(clicks.map(({ linkId }) => linkId))]
  await together(
    sql`select id from short_links where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) order by id for update`.execute(
      tx,
    ),
    sql`
        with given as materialized (
          select g.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            as g (link_id bigint, clicked_at timestamptz, device_type text, referrer text, user_agent text)
          join short_links l on l.tenant_id = ${tenantId} and l.id = g.link_id
        ), people as (
          select link_id, clicked_at, coalesce(referrer, '') as referrer from given where device_type <> 'bot'
        ), logged as (
          insert into short_link_clicks (tenant_id, link_id, clicked_at, device_type, referrer, user_agent)
          select ${tenantId}::bigint, link_id, clicked_at, device_type, referrer, user_agent from given returning id
        ), quarters as (
          insert into short_link_quarters as q (tenant_id, link_id, quarter, clicks)
          select ${tenantId}::bigint, link_id, date_bin('15 minutes', clicked_at, '2000-01-01T00:00:00Z'), count(*) from people group by 2, 3
          on conflict (tenant_id, link_id, quarter) do update set clicks = q.clicks + excluded.clicks returning link_id
        ), sites as (
          select link_id, case when referrer = '' or exists (
              select from short_link_sources k where k.tenant_id = ${tenantId} and k.link_id = p.link_id and k.kind = 'referrer' and k.name = p.referrer
            ) or ${MOST_REFERRERS} > (
              select count(*) from short_link_sources k where k.tenant_id = ${tenantId} and k.link_id = p.link_id and k.kind = 'referrer'
            ) then referrer else ${OTHER_REFERRERS} end as name, clicks
          from (select link_id, referrer, count(*) as clicks from people group by 1, 2) p
        ), sources as (
          insert into short_link_sources as s (tenant_id, link_id, kind, name, clicks)
          select ${tenantId}::bigint, link_id, 'device', device_type, count(*) from given group by 2, 4
          union all select ${tenantId}::bigint, link_id, 'referrer', name, sum(clicks) from sites group by 2, 4
          on conflict (tenant_id, link_id, kind, name) do update set clicks = s.clicks + excluded.clicks returning link_id
        )
        update short_links set click_count = click_count + counted.clicks, last_clicked_at = greatest(last_clicked_at, latest)
        from (select link_id, count(*) as clicks, max(clicked_at) as latest from people group by link_id) counted
        where short_links.tenant_id = ${tenantId} and short_links.id = counted.link_id`.execute(tx),
  )
}

/** Whether it would be refused again: what is wrong is in the clicks (data exception, broken constraint), not in the moment. */
export const isRefused = (error: unknown) => error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')
