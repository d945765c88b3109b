/** Links to what the firm offers, and who followed them in the last six weeks. */
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, foundedAt, insertRecords, type Plan } from '#kernel/modules/demo.ts'
import type { Click } from './redirects/clicks.ts'
import { writeClicks } from './redirects/writing.ts'

const pages = [
  'Spring catalogue',
  'Price list',
  'Open day',
  'Newsletter',
  'Job offers',
  'Delivery times',
  'Customer survey',
  'Trade fair',
]
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
const WORKING_DAYS = 30
const AT_ONCE = 2000

export default defineDemo({
  async fill(ctx, plan) {
    const ids = await links(ctx, plan)
    const clicks = plan.share(2, { least: 500, most: 20_000 })
    for (let done = 0; done < clicks; done += AT_ONCE)
      await writeClicks(
        ctx.tx,
        ctx.tenant.id,
        Array.from({ length: Math.min(AT_ONCE, clicks - done) }, () => click(ctx, plan, ids)),
      )
    return ids.length
  },
})

async function links(ctx: Ctx, plan: Plan) {
  const { random } = plan
  const count = plan.share(1 / 25, { least: 12, most: 500 })
  const rows = Array.from({ length: count }, (_, n) => {
    const title = pages[n % pages.length]!
    const slug = title.toLowerCase().replaceAll(' ', '-')
    const at = foundedAt(plan, n, count)
    return {
      code: `${slug}-${ctx.tenant.id}-${n + 1}`, // the same for each run, and no other workspace's
      title,
      destination_url: `https://www.northwind.example/${slug}?edition=${n + 1}`,
      status: random.happens(0.1) ? ('paused' as const) : ('active' as const),
      utm_source: 'northwind',
      utm_medium: random.pick(media),
      utm_campaign: random.happens(0.5) ? slug : null,
      created_by: random.pick(plan.people).id,
      created_at: at,
      updated_at: at,
    }
  })
  await ctx.tx
    .insertInto('short_link_codes')
    .values(rows.map(({ code }) => ({ code, tenant_id: ctx.tenant.id })))
    .execute()
  return insertRecords(ctx, 'short_links', rows)
}

/** Some links are followed more than others, and more of late. */
function click({ tenant }: Ctx, { random, calendar }: Plan, ids: number[]): Click {
  const linkId = ids[Math.floor(random.next() ** 2 * ids.length)]!
  const at = calendar.instant(calendar.days - random.next() ** 1.5 * WORKING_DAYS) ?? calendar.instant(0)!
  return { tenantId: tenant.id, linkId, at, referrer: random.often(sites).referrer, userAgent: random.often(browsers).userAgent }
}
