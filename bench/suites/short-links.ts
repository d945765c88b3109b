/**
 * Short links: `--records 1000000` of them, one with as many clicks; redirects compared with a bare route; ingestion of clicks.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Started } from '#kernel/process/start.ts'
import { clicksIn } from '#workspace/short-links/redirects/clicks.ts'
import { compare, type Load } from '../load.ts'
import { aims, type Case, type Filled, type Suite } from '../prepare.ts'
import { milliseconds, percent, whole } from '../table.ts'

const links = '/api/tenant/v1/short-links'
const DAYS = 400
let firm: Filled
let count: number
let first: number

export default {
  title: 'Short links',
  async cases({ services, workspace, caseOf }, records): Promise<Case[]> {
    firm = await workspace(50)
    count = records
    first = await fill(firm, records)
    await services.database.statement('VACUUM (ANALYZE)', [])
    const { token } = firm
    const many = records.toLocaleString('en')
    return [
      { ...(await caseOf('list', `list of 25 among ${many}`, token, links)), atLeast: aims.list },
      { ...(await caseOf('show', 'show', token, `${links}/${first}`)), atLeast: aims.show },
      {
        ...(await caseOf('analytics', `analytics of a link with ${many} clicks`, token, `${links}/${first}/stats`)),
        atLeast: 0.6,
      },
      await caseOf('clicks', `first page of ${many} clicks`, token, `${links}/${first}/clicks`),
    ]
  },
  figures: async ({ services, databaseUrl }, base) => [
    ...(await redirects(base, databaseUrl)),
    ['clicks written a second, of one link', await ingestion(services, 1)],
    ['clicks written a second, of 10,000 links', await ingestion(services, 10_000)],
  ],
} satisfies Suite

const codeOf = (n: number) => `bench-${n}`
/** Rows per statement: a million at once would exceed the time limit. */
const AT_ONCE = 20_000

/** Inserts links. The first gets as many clicks, distributed over 400 days and 200 sites. Returns its id. */
async function fill({ id, inside }: Filled, records: number) {
  const parts = Array.from({ length: Math.ceil(records / AT_ONCE) }, (_, n) => {
    const [from, to] = [n * AT_ONCE + 1, Math.min(records, (n + 1) * AT_ONCE)]
    return sql`generate_series(${from}::int, ${to}::int) n`
  })
  for (const n of parts)
    await inside(async (ctx) => {
      await sql`
        insert into short_link_codes (code, tenant_id) select 'bench-' || n, ${id}::bigint from ${n} returning code`.execute(
        ctx.tx,
      )
      await sql`
        insert into short_links (tenant_id, code, title, destination_url, utm_source, created_by, created_at, updated_at)
        select ${id}::bigint, 'bench-' || n, 'Offer ' || n, 'https://shop.example/offers/' || n || '?from=link', 'bench',
          (select id from users where tenant_id = ${id} order by id limit 1),
          ${ctx.now}::timestamptz - n * interval '1 minute', ${ctx.now}::timestamptz - n * interval '1 minute'
        from ${n} returning id`.execute(ctx.tx)
      await sql`select app.sum_tallies('short_links')`.execute(ctx.tx)
    })
  const { id: link } = await inside((ctx) =>
    ctx.tx
      .selectFrom('short_links')
      .select('id')
      .where('tenant_id', '=', id)
      .where('code', '=', codeOf(1))
      .executeTakeFirstOrThrow(),
  )
  for (const n of parts)
    await inside((ctx) =>
      sql`
        insert into short_link_clicks (tenant_id, link_id, clicked_at, device_type, referrer, user_agent)
        select ${id}::bigint, ${link}::bigint, ${ctx.now}::timestamptz - n * (interval '1 day' * ${DAYS}::int / ${records}::int),
          (array['desktop', 'mobile', 'tablet'])[1 + n % 3], 'site' || n % 200 || '.example', 'Mozilla/5.0 (benchmark)'
        from ${n} returning id`.execute(ctx.tx),
    )
  await inside(async (ctx) => {
    const all = sql`short_link_clicks where tenant_id = ${id} and link_id = ${link}`
    await sql`
      insert into short_link_quarters (tenant_id, link_id, quarter, clicks)
      select ${id}::bigint, ${link}::bigint, date_bin('15 minutes', clicked_at, '2000-01-01T00:00:00Z'), count(*)
      from ${all} group by 3 returning link_id`.execute(ctx.tx)
    await sql`
      insert into short_link_sources (tenant_id, link_id, kind, name, clicks)
      select ${id}::bigint, ${link}::bigint, 'device', device_type, count(*) from ${all} group by device_type
      union all select ${id}::bigint, ${link}::bigint, 'referrer', referrer, count(*) from ${all} group by referrer
      returning link_id`.execute(ctx.tx)
    await sql`
      update short_links set click_count = ${records}, last_clicked_at = ${ctx.now},
        summed_up_to = (select max(id) from short_link_clicks where tenant_id = ${id} and link_id = ${link})
      where tenant_id = ${id} and id = ${link}`.execute(ctx.tx)
  })
  return link
}

const VISITOR = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  referer: 'https://news.example/story',
}
/** Returns headers with a different address each time, because the rate limiter counts addresses. */
const visitor = (n: number) => ({
  ...VISITOR,
  'x-forwarded-for': `${10 + (n >>> 24)}.${(n >>> 16) & 255}.${(n >>> 8) & 255}.${n & 255}`,
})
/** Returns links that are far apart; none repeats before all were used. */
const cold = (n: number) => ({ path: `/r/${codeOf(1 + ((n * 7919) % count))}`, headers: visitor(n) })
const warm = (n: number) => ({ path: `/r/${codeOf(1)}`, headers: visitor(n) })

/**
 * Compares, alternately in one run, our redirects with a bare route on a table of the same codes. Our clicks are written
 * meanwhile.
 */
async function redirects(base: string, databaseUrl: string): Promise<[string, string][]> {
  const child = fork(join(import.meta.dirname, '../bare-redirect.ts'))
  try {
    child.send(databaseUrl)
    const [bare] = (await once(child, 'message')) as [string]
    const targets = [
      { url: base, vary: cold },
      { url: bare, vary: cold },
      { url: base, vary: warm },
      { url: bare, vary: warm },
    ]
    const [ourCold, bareCold, ourWarm, bareWarm] = (await compare(targets, { seconds: 16, connections: 16 })) as [
      Load,
      Load,
      Load,
      Load,
    ]
    const beside = (ours: Load, bare: Load) =>
      `${whole(ours.perSecond)}/s (p50 ${milliseconds(ours.p50)}, p99 ${milliseconds(ours.p99)}), ${percent(ours.perSecond / bare.perSecond)} of a bare route's ${whole(bare.perSecond)}/s; aim ≥ 70 %`
    return [
      [`redirects, every code cold, among ${whole(count)}`, beside(ourCold, bareCold)],
      ['redirects, one code', beside(ourWarm, bareWarm)],
    ]
  } finally {
    child.disconnect()
  }
}

const CLICKS = 200_000

/** Measures click ingestion through the service's own code. */
async function ingestion({ database, log }: Started, links: number) {
  const clicks = clicksIn(database, log)
  const began = performance.now()
  for (let sent = 0; sent < CLICKS; ) {
    for (const until = Math.min(CLICKS, sent + 20_000); sent < until; sent++)
      clicks.add({
        tenantId: firm.id,
        linkId: first + ((sent * 7919) % links),
        at: new Date().toISOString(),
        referrer: VISITOR.referer,
        userAgent: VISITOR['user-agent'],
      })
    await clicks.stop()
  }
  return `${whole(CLICKS / ((performance.now() - began) / 1000))}/s`
}
