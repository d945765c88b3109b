/** Pages of the connected account, and the choice of those that deliver leads. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { type AdPage, platformOf } from './ad-platform.ts'
import { connected, lockConnection, onlyOurs, opened, refOf, showSocialAds, TOKEN_PURPOSE } from './connection.ts'

/** LEAD-77: the complete list; an empty one ends every subscription. */
export const ChoosePages = z.object({
  page_ids: z
    .array(z.string().min(1).max(64, 'Must be at most 64 characters.'))
    .max(500, 'Must be at most 500 pages.')
    .meta({ description: 'Ids of the pages, as the ad platform calls them.', examples: [['1029384756']] }),
})

/** Fetches the pages from the platform, stores and returns them. 422 on `connection` where nothing is connected. */
export async function listPages(steps: WorkspaceSteps) {
  const { account_token } = await steps.read(connected)
  const pages = await platformOf(steps.services).pagesOf(steps.services.secrets.decrypt(TOKEN_PURPOSE, account_token))
  return steps.finish(async (ctx) => {
    await lockConnection(ctx)
    if (!(await connected(ctx)).account_token.equals(account_token))
      throw invalid({ connection: 'Another account was connected meanwhile. Ask again.' })
    await storePages(ctx, pages)
    return (await connected(ctx)).pages.map(refOf)
  })
}

/** Stores these pages and deletes all others; existing subscriptions stay. */
export async function storePages(ctx: Ctx, pages: AdPage[]) {
  const { secrets } = ctx.services
  const ids = pages.map(({ page_id }) => page_id)
  await sql`delete from lead_ad_pages where tenant_id = ${ctx.tenant.id} and page_id <> all(${ids}::text[])`.execute(ctx.tx)
  const unique = [...new Map(pages.map((page) => [page.page_id, page])).values()]
  if (!unique.length) return
  await ctx.tx
    .insertInto('lead_ad_pages')
    .values(
      unique.map(({ page_id, name, token }) => ({
        ...{ tenant_id: ctx.tenant.id, page_id, name, token: secrets.encrypt(TOKEN_PURPOSE, token), created_at: ctx.now },
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'page_id'])
        .doUpdateSet((eb) => ({ name: eb.ref('excluded.name'), token: eb.ref('excluded.token') })),
    )
    .execute()
}

/**
 * Subscribes to these pages and ends all other subscriptions. 422 on `connection`, and on `page_ids.N` for a page of another
 * account.
 */
export async function choosePages(steps: WorkspaceSteps, { page_ids }: z.output<typeof ChoosePages>) {
  const { pages } = await steps.read(connected)
  const known = new Set(pages.map(({ page_id }) => page_id))
  const strange = page_ids.flatMap((id, n) => (known.has(id) ? [] : [`page_ids.${n}`]))
  if (strange.length)
    throw invalid(Object.fromEntries(strange.map((field) => [field, 'There is no such page in the connected account.'])))

  const platform = platformOf(steps.services)
  const chosen = new Set(page_ids)
  const all = pages.map((page) => ({ ...opened(steps, page), is_subscribed: page.is_subscribed }))
  const left = all.filter(({ page_id, is_subscribed }) => is_subscribed && !chosen.has(page_id))
  for (const page of all.filter(({ page_id }) => chosen.has(page_id))) await platform.subscribe(page)
  for (const page of await onlyOurs(steps, left)) await platform.unsubscribe(page)

  return steps.finish(async (ctx) => {
    await lockConnection(ctx)
    await connected(ctx) // it may have been disconnected meanwhile
    await sql`
      update lead_ad_pages set is_subscribed = (page_id = any(${page_ids}::text[]))
      where tenant_id = ${ctx.tenant.id}`.execute(ctx.tx)
    return showSocialAds(ctx)
  })
}
