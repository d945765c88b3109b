/** Aggregates of clicks, so that analytics need not read a million of them. */
import { sql } from 'kysely'
import type { Tx } from '#kernel/database/connect.ts'

/** Maximum number of distinct referrers per link; clicks from others are aggregated together. */
const MAX_REFERRERS = 500
export const OTHER_REFERRERS = '(other)'

/**
 * Adds a link's clicks after `summed_up_to` to its aggregates. The transaction must have locked the link. Bots count as devices
 * only.
 */
export const sumUp = (tx: Tx, tenantId: number, { id, summed_up_to }: { id: number; summed_up_to: number }) =>
  sql`
    with clicks as materialized (
      select id, clicked_at, device_type, coalesce(referrer, '') as name from short_link_clicks
      where tenant_id = ${tenantId} and link_id = ${id} and id > ${summed_up_to}
    ), quarters as (
      insert into short_link_quarters as q (tenant_id, link_id, quarter, clicks)
      select ${tenantId}::bigint, ${id}::bigint, date_bin('15 minutes', clicked_at, '2000-01-01T00:00:00Z'), count(*)
      from clicks where device_type <> 'bot' group by 3
      on conflict (tenant_id, link_id, quarter) do update set clicks = q.clicks + excluded.clicks returning link_id
    ), known as materialized (
      select name from short_link_sources where tenant_id = ${tenantId} and link_id = ${id} and kind = 'referrer'
    ), ranked as (
      select name, came.clicks, known.name is not null or name = '' as is_known,
        (select count(*) from known) + row_number() over (partition by known.name is null order by came.clicks desc) as rank
      from (select name, count(*) as clicks from clicks where device_type <> 'bot' group by 1) came left join known using (name)
    ), sources as (
      insert into short_link_sources as s (tenant_id, link_id, kind, name, clicks)
      select ${tenantId}::bigint, ${id}::bigint, 'device', device_type, count(*) from clicks group by 4
      union all
      select ${tenantId}::bigint, ${id}::bigint, 'referrer',
        case when is_known or rank <= ${MAX_REFERRERS} then name else ${OTHER_REFERRERS} end, sum(clicks)
      from ranked group by 4
      on conflict (tenant_id, link_id, kind, name) do update set clicks = s.clicks + excluded.clicks returning link_id
    )
    update short_links set summed_up_to = (select max(id) from clicks), unsummed_clicks = 0
    where tenant_id = ${tenantId} and id = ${id}`.execute(tx)
