/** Who followed a link: from the counters that are kept as clicks are written, so that a million clicks cost what ten do. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import type { Paging } from '#kernel/records/listing.ts'
import { choice, date, instant } from '#kernel/values/fields.ts'
import { DEVICES, type Device } from './redirects/visitor.ts'
import { OTHER_REFERRERS } from './redirects/writing.ts'
import type { ShortLink } from './short-links.ts'

const DAYS = 30
const MOST_REFERRERS = 10

/** SL-13. Bots are among the devices and nowhere else. */
export const ShortLinkAnalytics = z
  .object({
    click_count: z.int(),
    last_clicked_at: instant().nullable(),
    clicks_by_day: z
      .array(z.object({ date: date(), clicks: z.int() }))
      .meta({ description: `The last ${DAYS} days of the workspace's calendar, today the last.` }),
    top_referrers: z.array(z.object({ referrer: z.string().nullable(), clicks: z.int() })).meta({
      description: `Hosts; null: none was told. ${OTHER_REFERRERS}: those of a link that has very many.`,
    }),
    devices: z.array(z.object({ device_type: choice(DEVICES), clicks: z.int() })),
  })
  .meta({ id: 'ShortLinkAnalytics' })

export async function analyticsOf(ctx: Ctx, { id, click_count, last_clicked_at }: ShortLink) {
  const [clicks_by_day, top_referrers, devices] = await Promise.all([byDay(ctx, id), referrers(ctx, id), byDevice(ctx, id)])
  return { click_count, last_clicked_at, clicks_by_day, top_referrers, devices }
}

async function byDay(ctx: Ctx, id: number) {
  const { timezone } = ctx.tenant
  const today = Temporal.PlainDate.from(ctx.today())
  const days = Array.from({ length: DAYS }, (_, n) => today.subtract({ days: DAYS - 1 - n }))
  const { rows } = await sql<{ date: string; clicks: number }>`
    select (quarter at time zone ${timezone})::date as date, sum(clicks)::bigint as clicks from short_link_quarters
    where tenant_id = ${ctx.tenant.id} and link_id = ${id} and quarter >= ${days[0]!.toZonedDateTime(timezone).toInstant().toString()}
    group by 1`.execute(ctx.tx)
  const counted = new Map(rows.map(({ date, clicks }) => [date, clicks]))
  return days.map((day) => ({ date: day.toString(), clicks: counted.get(day.toString()) ?? 0 }))
}

const sources = (ctx: Ctx, id: number, kind: 'device' | 'referrer') =>
  ctx.tx
    .selectFrom('short_link_sources')
    .select(['name', 'clicks'])
    .where('tenant_id', '=', ctx.tenant.id)
    .where('link_id', '=', id)
    .where('kind', '=', kind)
    .orderBy('clicks', 'desc')
    .orderBy('name')

async function referrers(ctx: Ctx, id: number) {
  const rows = await sources(ctx, id, 'referrer').limit(MOST_REFERRERS).execute()
  return rows.map(({ name, clicks }) => ({ referrer: name || null, clicks }))
}

async function byDevice(ctx: Ctx, id: number) {
  const rows = await sources(ctx, id, 'device').execute()
  return rows.map(({ name, clicks }) => ({ device_type: name as Device, clicks }))
}

/** SL-12 */
export const ShortLinkClick = z
  .object({
    id: z.int(),
    clicked_at: instant(),
    device_type: choice(DEVICES),
    referrer: z.string().nullable().meta({ description: 'The host of the page that it came from.' }),
    user_agent: z.string().nullable(),
  })
  .meta({ id: 'ShortLinkClick' })

/** A page of a link's clicks, newest first (SL-14). How many there are is known from the counters. */
export async function clickLog(ctx: Ctx, { id }: ShortLink, { page, per_page }: z.output<typeof Paging>) {
  const [rows, devices] = await Promise.all([
    ctx.tx
      .selectFrom('short_link_clicks')
      .select(['id', 'clicked_at', 'device_type', 'referrer', 'user_agent'])
      .where('tenant_id', '=', ctx.tenant.id)
      .where('link_id', '=', id)
      .orderBy('clicked_at', 'desc')
      .orderBy('id', 'desc')
      .limit(per_page)
      .offset((page - 1) * per_page)
      .execute(),
    byDevice(ctx, id),
  ])
  const clicks = rows.map((click) => ({ ...click, device_type: click.device_type as Device }))
  return { rows: clicks, total: devices.reduce((sum, { clicks }) => sum + clicks, 0) }
}
