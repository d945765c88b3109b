/** A workspace's connection to the ad platform: its view (LEAD-76), settings and disconnection. */

import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inPublic, type WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { SealedColumn } from '#kernel/secrets/secrets.ts'
import { changesOf, id, instant, optionalText } from '#kernel/values/fields.ts'
import { refuseUnknownDefault } from '../stages.ts'
import { type AdPage, isConfigured, platformOf } from './ad-platform.ts'

export const TOKEN_PURPOSE = 'social ads token'
export const sealedColumns: SealedColumn[] = [
  { table: 'lead_ad_connections', column: 'account_token', purpose: TOKEN_PURPOSE },
  { table: 'lead_ad_pages', column: 'token', purpose: TOKEN_PURPOSE },
]

export const AdPageRef = z.object({ id: z.string(), name: z.string() }).meta({ id: 'AdPage' })

export const SocialAds = z
  .object({
    is_configured: z.boolean().meta({ description: 'Whether this service has an app at the platform.' }),
    is_connected: z.boolean().describe('Whether somebody has connected an account.'),
    is_enabled: z.boolean().describe('Whether leads that arrive are taken.'),
    default_stage_id: z
      .int()
      .nullable()
      .meta({ 'x-refers-to': 'lead_stage' })
      .meta({ description: 'Id of the stage that such leads begin in; null: the first one.', examples: [1] }),
    default_source: z
      .string()
      .nullable()
      .meta({ description: 'What their `source` says; null: the platform’s name.', examples: ['Ads'] }),
    connected_at: instant().nullable().describe('Since when; null: nobody has.'),
    pages: z.array(AdPageRef).meta({ description: 'Those that are subscribed to.' }),
    available_pages: z.array(AdPageRef).optional().meta({ description: 'Those of the connected account.' }),
  })
  .meta({ id: 'SocialAds' })

export const ChangeSocialAds = changesOf(
  z.object({
    is_enabled: z.boolean(),
    default_stage_id: id().nullable().meta({ 'x-refers-to': 'lead_stage' }),
    default_source: optionalText(255).meta({
      description: 'What their `source` says; null: the platform’s name.',
      examples: ['Ads'],
    }),
  }),
)

/** Returns the stored connection, whether live or not, and its pages. */
export async function readConnection(ctx: Ctx) {
  const connection = await ctx.from('lead_ad_connections').selectAll().executeTakeFirst()
  const pages = await ctx.from('lead_ad_pages').selectAll().orderBy('name').orderBy('page_id').execute()
  return { connection, pages }
}

/** Returns the connection with its encrypted account token and its pages; 422 on `connection` where there is none. */
export async function connected(ctx: Ctx) {
  const { connection, pages } = await readConnection(ctx)
  if (!connection?.account_token) throw invalid({ connection: 'Connect an account of the ad platform first.' })
  return { ...connection, account_token: connection.account_token, pages }
}

export async function showSocialAds(ctx: Ctx): Promise<z.input<typeof SocialAds>> {
  const { connection, pages } = await readConnection(ctx)
  const is_connected = Boolean(connection?.account_token)
  return {
    is_configured: isConfigured(ctx.services),
    is_connected,
    is_enabled: connection?.is_enabled ?? true,
    default_stage_id: connection?.default_stage_id ?? null,
    default_source: connection?.default_source ?? null,
    connected_at: connection?.connected_at ?? null,
    pages: pages.filter(({ is_subscribed }) => is_subscribed).map(refOf),
    ...(is_connected ? { available_pages: pages.map(refOf) } : {}),
  }
}

export const refOf = ({ page_id, name }: { page_id: string; name: string }) => ({ id: page_id, name })

export async function changeSocialAds(ctx: Ctx, sent: z.output<typeof ChangeSocialAds>) {
  await refuseUnknownDefault(ctx, sent.default_stage_id)
  const stamps = { created_at: ctx.now, updated_at: ctx.now }
  await ctx.tx
    .insertInto('lead_ad_connections')
    .values({ tenant_id: ctx.tenant.id, ...sent, ...stamps })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ ...sent, updated_at: ctx.now }))
    .execute()
  return showSocialAds(ctx)
}

/** Locks the connection until the transaction ends. Taken before pages are written. */
export const lockConnection = (ctx: Ctx) =>
  sql`select 1 from lead_ad_connections where tenant_id = ${ctx.tenant.id} for update`.execute(ctx.tx)

/** Deletes the account's token and, for good, its pages (LEAD-78). Succeeds even if the platform doesn't reply. */
export async function disconnect(steps: WorkspaceSteps) {
  const { pages } = await steps.read(connected)
  const ours = await onlyOurs(
    steps,
    pages.filter(({ is_subscribed }) => is_subscribed),
  )
  const unsubscribing = ours.map(async (page) => platformOf(steps.services).unsubscribe(opened(steps, page)))
  for (const ended of await Promise.allSettled(unsubscribing))
    if (ended.status === 'rejected') steps.log.warn({ err: ended.reason }, 'a page stays subscribed at the ad platform')
  await steps.finish(async (ctx) => {
    await lockConnection(ctx)
    await ctx.deleteFrom('lead_ad_pages').execute()
    await ctx
      .update('lead_ad_connections')
      .set({ account_token: null, connected_by: null, connected_at: null, updated_at: ctx.now })
      .execute()
  })
}

/** Returns a stored page with its decrypted token. */
export const opened = ({ services }: Pick<Ctx, 'services'>, page: { page_id: string; name: string; token: Buffer }): AdPage => ({
  page_id: page.page_id,
  name: page.name,
  token: services.secrets.decrypt(TOKEN_PURPOSE, page.token),
})

/** Returns the pages to which no other workspace is subscribed. A subscription at the platform belongs to the app as a whole. */
export async function onlyOurs<P extends { page_id: string }>(steps: WorkspaceSteps, pages: P[]): Promise<P[]> {
  if (!pages.length) return []
  const ids = pages.map(({ page_id }) => page_id)
  const shared = await inPublic(steps, 'read', (ctx) =>
    ctx.tx
      .selectFrom('lead_ad_pages')
      .select('page_id')
      .where('page_id', 'in', ids)
      .where('is_subscribed', '=', true)
      .where('tenant_id', '!=', steps.tenant.id)
      .execute(),
  )
  const others = new Set(shared.map(({ page_id }) => page_id))
  return pages.filter(({ page_id }) => !others.has(page_id))
}
