/** Analytics of a link from aggregates and the clicks since then, so that a million clicks cost as much as a thousand. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { Paging } from '#kernel/records/listing.ts'
import { choice, date, instant } from '#kernel/values/fields.ts'
import { OTHER_REFERRERS } from './redirects/summing.ts'
import { DEVICES, type Device } from './redirects/visitor.ts'
import type { ShortLink } from './short-links.ts'

const DAYS = 30
const MAX_DAYS = 366
const MAX_REFERRERS = 10

const says = `Must be a whole number between 1 and ${MAX_DAYS}.`

/** Number of days returned; the default is the contract's. */
export const AnalyticsQuery = z.object({
  days: z
    .string()
    .regex(/^\d{1,3}$/, says)
    .meta({
      description: 'How many days `clicks_by_day` tells, today the last.',
      override: { type: 'integer', minimum: 1, maximum: MAX_DAYS, pattern: undefined },
    })
    .transform(Number)
    .pipe(z.number().min(1, says).max(MAX_DAYS, says))
    .default(DAYS),
})

/** SL-13. Bots are counted among the devices only. */
export const ShortLinkAnalytics = z
  .object({
    click_count: z
      .int()
      .meta({ description: 'How often it was followed, by browsers; known robots don’t count.', examples: [42] }),
    last_clicked_at: instant().nullable().describe('When it was last followed; null: never.'),
    clicks_by_day: z.array(z.object({ date: date(), clicks: z.int().meta({ description: 'How often.', examples: [3] }) })).meta({
      description: `The last days of the workspace's calendar, today the last: ${DAYS}, or as many as \`days\` asks for.`,
    }),
    top_referrers: z.array(z.object({ referrer: z.string().nullable(), clicks: z.int() })).meta({
      description: `Hosts; null: none was told. ${OTHER_REFERRERS}: those of a link that has very many.`,
    }),
    devices: z.array(z.object({ device_type: choice(DEVICES), clicks: z.int() })).describe('By kind of device.'),
  })
  .meta({ id: 'ShortLinkAnalytics' })

/** One statement, so that a concurrent aggregation counts no click twice. */
export async function analyticsOf(ctx: Ctx, { id, click_count, last_clicked_at }: ShortLink, count: number) {
  const { timezone } = ctx.tenant
  const today = Temporal.PlainDate.from(ctx.today())
  const days = Array.from({ length: count }, (_, n) => today.subtract({ days: count - 1 - n }))
  const since = days[0]!.toZonedDateTime(timezone).toInstant().toString()
  const { rows } = await sql<Counted>`
    with unsummed as materialized (${unsummed(ctx, id)}),
    clicks (kind, name, clicks) as (
      select kind, name, clicks from short_link_sources where tenant_id = ${ctx.tenant.id} and link_id = ${id}
      union all select 'device', device_type, 1 from unsummed
      union all select 'referrer', coalesce(referrer, ''), 1 from unsummed where device_type <> 'bot'
      union all select 'day', ((quarter at time zone ${timezone})::date)::text, clicks from short_link_quarters
        where tenant_id = ${ctx.tenant.id} and link_id = ${id} and quarter >= ${since}
      union all select 'day', ((clicked_at at time zone ${timezone})::date)::text, 1 from unsummed
        where device_type <> 'bot' and clicked_at >= ${since}
    )
    select kind, name, sum(clicks)::bigint as clicks from clicks group by 1, 2 order by clicks desc, name`.execute(ctx.tx)
  const of = (wanted: Counted['kind']) => rows.filter(({ kind }) => kind === wanted)
  const counted = new Map(of('day').map(({ name, clicks }) => [name, clicks]))
  return {
    click_count,
    last_clicked_at,
    clicks_by_day: days.map((day) => ({ date: day.toString(), clicks: counted.get(day.toString()) ?? 0 })),
    top_referrers: of('referrer')
      .slice(0, MAX_REFERRERS)
      .map(({ name, clicks }) => ({ referrer: name || null, clicks })),
    devices: of('device').map(({ name, clicks }) => ({ device_type: name as Device, clicks })),
  }
}

interface Counted {
  kind: 'device' | 'referrer' | 'day'
  name: string
  clicks: number
}

/** Clicks not aggregated yet: at most about a thousand. */
const unsummed = (ctx: Ctx, id: number) => sql`
  select c.* from short_link_clicks c
  where c.tenant_id = ${ctx.tenant.id} and c.link_id = ${id} and c.id > (
    select l.summed_up_to from short_links l where l.tenant_id = ${ctx.tenant.id} and l.id = ${id}
  )`

/** SL-12 */
export const ShortLinkClick = z
  .object({
    id: z.int(),
    clicked_at: instant().describe('When it was followed.'),
    device_type: choice(DEVICES).describe('What kind of device it was, by its user agent.'),
    referrer: z.string().nullable().meta({ description: 'The host of the page that it came from.' }),
    user_agent: z.string().nullable(),
  })
  .meta({ id: 'ShortLinkClick' })

/** Returns a page of a link's clicks as stored, newest first (SL-14), within the log's retention. */
export async function clickLog(
  ctx: Ctx,
  { id, unsummed_clicks, clicks_from, clicks_gone }: ShortLink,
  { page, per_page }: z.output<typeof Paging>,
) {
  const [rows, { summed }] = await Promise.all([
    ctx
      .from('short_link_clicks')
      .select(['id', 'clicked_at', 'device_type', 'referrer', 'user_agent'])
      .where('link_id', '=', id)
      .$if(clicks_from !== null, (query) => query.where('clicked_at', '>=', clicks_from!))
      .orderBy('id', 'desc')
      .limit(per_page)
      .offset((page - 1) * per_page)
      .execute(),
    ctx
      .from('short_link_sources')
      .select((eb) => eb.fn.sum<string | null>('clicks').as('summed'))
      .where('link_id', '=', id)
      .where('kind', '=', 'device')
      .executeTakeFirstOrThrow(),
  ])
  const clicks = rows.map((click) => ({ ...click, device_type: click.device_type as Device }))
  return { rows: clicks, total: Number(summed) + unsummed_clicks - clicks_gone }
}
