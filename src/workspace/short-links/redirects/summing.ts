/** Sums of clicks, so that analytics need not read a million of them. */
import { sql } from 'kysely'
import type { Tx } from '#kernel/database/connect.ts'

/** Sites told apart for a link; clicks from further ones are counted together. */
const MOST_REFERRERS = 500
export const OTHER_REFERRERS = '(other)'

/** Adds what came since the last time to the sums of these links, whose rows the transaction has locked. Bots count as devices only. */
export const sumUp = (tx: Tx, tenantId: number, linkIds: number[]) =>
  sql`
    with clicks as materialized (
      select c.* from short_link_clicks c join short_links l on l.tenant_id = ${tenantId} and l.id = c.link_id
      where c.tenant_id = ${tenantId} and c.link_id = any(${linkIds}::bigint[]) and c.id > l.summed_up_to
    ), quarters as (
      insert into short_link_quarters as q (tenant_id, link_id, quarter, clicks)
      select ${tenantId}::bigint, link_id, date_bin('15 minutes', clicked_at, '2000-01-01T00:00:00Z'), count(*)
      from clicks where device_type <> 'bot' group by 2, 3
      on conflict (tenant_id, link_id, quarter) do update set clicks = q.clicks + excluded.clicks returning link_id
    ), known as materialized (
      select link_id, name from short_link_sources
      where tenant_id = ${tenantId} and link_id = any(${linkIds}::bigint[]) and kind = 'referrer'
    ), came as materialized (
      select link_id, coalesce(referrer, '') as name, count(*) as clicks from clicks where device_type <> 'bot' group by 1, 2
    ), ranked as (
      select came.*, known.name is not null as is_known, coalesce(sites, 0)
        + row_number() over (partition by link_id, known.name is null order by came.clicks desc) as rank
      from came left join known using (link_id, name)
      left join (select link_id, count(*) as sites from known group by 1) known_sites using (link_id)
    ), sources as (
      insert into short_link_sources as s (tenant_id, link_id, kind, name, clicks)
      select ${tenantId}::bigint, link_id, 'device', device_type, count(*) from clicks group by 2, 4
      union all
      select ${tenantId}::bigint, link_id, 'referrer',
        case when is_known or name = '' or rank <= ${MOST_REFERRERS} then name else ${OTHER_REFERRERS} end, sum(clicks)
      from ranked group by 2, 4
      on conflict (tenant_id, link_id, kind, name) do update set clicks = s.clicks + excluded.clicks returning link_id
    )
    update short_links l set summed_up_to = latest, unsummed_clicks = 0
    from (select link_id, max(id) as latest from clicks group by link_id) c
    where l.tenant_id = ${tenantId} and l.id = c.link_id`.execute(tx)
