/** Demo short links with clicks of the last eight weeks. */
import type { Ctx } from '#kernel/context.ts'
import { foundedAt } from '#kernel/demo/calendar.ts'
import { asciiOf, domainOf } from '#kernel/demo/names.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { insertStories, trashedAfter } from '#kernel/demo/stories.ts'
import { ownUuid } from '#kernel/tenancy/placed-uuids.ts'
import { sumUp } from './redirects/summing.ts'
import type { Click } from './redirects/writing.ts'
import { writeClicks } from './redirects/writing.ts'

const pages = {
  en: [
    'Spring catalogue',
    'Price list',
    'Open day',
    'Newsletter',
    'Job offers',
    'Delivery times',
    'Customer survey',
    'Trade fair',
  ],
  de: [
    'Frühlingskatalog',
    'Preisliste',
    'Tag der offenen Rösterei',
    'Rundbrief',
    'Stellenangebote',
    'Barista-Kurse',
    'Kundenumfrage',
    'Messe',
  ],
}
const media = ['email', 'social', 'print', 'cpc']
const sites = [
  { often: 5, referrer: null },
  { often: 3, referrer: 'https://www.google.com/' },
  { often: 2, referrer: 'https://www.linkedin.com/' },
  { often: 1, referrer: 'https://news.example/weekly' },
]
const browsers = [
  {
    often: 5,
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  },
  {
    often: 4,
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  },
  {
    often: 1,
    userAgent:
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  },
  { often: 1, userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
]
const WORKING_DAYS = 40
const AT_ONCE = 2000

export default defineDemo({
  async fill(ctx, plan) {
    const ids = await links(ctx, plan)
    const clicks = plan.share(8, { least: 1500, most: 20_000 })
    for (let done = 0; done < clicks; done += AT_ONCE)
      await writeClicks(
        ctx.tx,
        ctx.tenant.id,
        Array.from({ length: Math.min(AT_ONCE, clicks - done) }, () => click(ctx, plan, ids)),
      )
    await sumSome(ctx)
    return ids.length
  },
})

async function links(ctx: Ctx, plan: Plan) {
  const { random } = plan
  const count = plan.share(1 / 25, { least: 12, most: 500 })
  const website = `https://www.${domainOf(ctx.tenant.name)}`
  const stories = Array.from({ length: count }, (_, n) => {
    const titles = plan.say(pages)
    const title = titles[n % titles.length]!
    const slug = asciiOf(title).replaceAll(' ', '-')
    const isTrash = n === count - 1
    const isPaused = !isTrash && random.happens(0.1)
    const created = { type: 'created', at: foundedAt(plan, n, count), by: random.pick(plan.people).id }
    const paused = { ...trashedAfter(plan, created), type: 'status_changed', properties: { from: 'active', to: 'paused' } }
    const row = {
      code: `${slug}-${ctx.tenant.id}-${n + 1}`, // equal in each run, and unique among workspaces
      title,
      destination_url: `${website}/${slug}?edition=${n + 1}`,
      status: isPaused ? ('paused' as const) : ('active' as const),
      utm_source: asciiOf(ctx.tenant.name).split(/[^a-z]/)[0]!,
      utm_medium: random.pick(media),
      utm_campaign: random.happens(0.5) ? slug : null,
      ...ownUuid(ctx, ctx.tenant.id),
    }
    return { row, timeline: isTrash ? [created, trashedAfter(plan, created)] : isPaused ? [created, paused] : [created] }
  })
  await ctx.tx
    .insertInto('short_link_codes')
    .values(stories.map(({ row: { code } }) => ({ code, tenant_id: ctx.tenant.id })))
    .execute()
  return insertStories(ctx, 'short_links', stories)
}

/** Aggregates the most clicked links, as happens after a thousand clicks. */
async function sumSome(ctx: Ctx) {
  const busiest = await ctx
    .from('short_links')
    .select(['id', 'summed_up_to'])
    .where('unsummed_clicks', '>', 0)
    .orderBy('click_count', 'desc')
    .limit(5)
    .execute()
  for (const link of busiest) await sumUp(ctx.tx, ctx.tenant.id, link)
}

/** Some links get more clicks than others, and more of them recently. */
function click({ tenant }: Ctx, { random, calendar }: Plan, ids: number[]): Click {
  const linkId = ids[Math.floor(random.next() ** 2 * ids.length)]!
  const at = calendar.instant(calendar.days - random.next() ** 1.5 * WORKING_DAYS) ?? calendar.instant(0)!
  return { tenantId: tenant.id, linkId, at, referrer: random.often(sites).referrer, userAgent: random.often(browsers).userAgent }
}
