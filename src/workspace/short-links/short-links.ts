/**
 * Short links: a code, unique in the installation, that redirects to an address. Every user who may view them sees all of the
 * workspace's.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { filter, type ListQuery, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import type { Stats } from '#kernel/records/stats.ts'
import { ownUuid } from '#kernel/tenancy/placed-uuids.ts'
import { instantIn } from '#kernel/values/local-time.ts'
import { takeCode } from './codes.ts'
import { checkTarget, type Destination, utmFields } from './destination.ts'
import { ChangeShortLink, CreateShortLink, ShortLink as ShortLinkItem, STATUSES } from './schema.ts'

export type ShortLink = Row<'short_links'>

export const shortLinks = resource({
  table: 'short_links',
  module: 'short-links',
  noun: 'short link',
  title: 'title',
  item: ShortLinkItem,
  tallied: ['status'],
})

export const shortLinkList = listing(shortLinks, {
  search: true,
  filters: { status: filter.oneOf('status', STATUSES) },
  sorts: ['created_at', 'title', 'code', 'click_count', 'last_clicked_at', 'expires_at'],
})

/** SL-17. Counts by the status set, regardless of expiry. */
export const shortLinkStats: Stats = {
  list: shortLinkList,
  reply: z
    .object({ total_links: z.int(), active_links: z.int(), paused_links: z.int(), total_clicks: z.int() })
    .meta({ id: 'ShortLinkStats' }),
  async read(ctx, query) {
    const [counts, total_clicks] = await Promise.all([shortLinkList.counts(ctx, query), clicksOf(ctx, query)])
    const having = (asked: string) => counts.find(({ status }) => status === asked)?.total ?? 0
    const [active_links, paused_links] = [having('active'), having('paused')]
    return { total_links: active_links + paused_links, active_links, paused_links, total_clicks }
  },
}

async function clicksOf(ctx: Ctx, query: ListQuery) {
  const conditions = shortLinkList.condition(ctx, query)
  const { rows } = await sql<{ clicks: number }>`
    select coalesce(sum(click_count), 0)::bigint as clicks from short_links where ${conditions}`.execute(ctx.tx)
  return rows[0]!.clicks
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the id for a path parameter: an id, or the uuid of a link. 404 for anything else. */
export async function idOf(ctx: Ctx, key: string): Promise<number> {
  if (/^[1-9]\d{0,14}$/.test(key)) return Number(key)
  const link = UUID.test(key) ? await ctx.from('short_links').select('id').where('uuid', '=', key).executeTakeFirst() : undefined
  if (!link) throw notFound('There is no such short link.')
  return link.id
}

/** 422 on a taken `code`, and on a `destination_url` that leads to a short link. */
export async function create(ctx: Ctx, body: z.output<typeof CreateShortLink>) {
  await checkTarget(ctx, destinationOf(body))
  const code = await takeCode(ctx, body.code)
  publishChange(ctx, { code })
  const expires_at = body.expires_at ? instantIn(ctx, body.expires_at) : null
  return createRecord(ctx, shortLinks, CreateShortLink, { ...body, code, expires_at }, ownUuid(ctx, ctx.tenant.id))
}

export async function update(ctx: Ctx, link: ShortLink, body: z.output<typeof ChangeShortLink>) {
  if (destinationFields.some((field) => body[field] !== undefined)) await checkTarget(ctx, destinationOf(body, link))
  const expires_at = body.expires_at && instantIn(ctx, body.expires_at)
  publishChange(ctx, link)
  await updateRecord(ctx, shortLinks, ChangeShortLink, link, { ...body, expires_at })
}

export async function remove(ctx: Ctx, link: ShortLink) {
  publishChange(ctx, link)
  await shortLinks.trash(ctx, link)
}

export async function restore(ctx: Ctx, link: ShortLink) {
  publishChange(ctx, link)
  await shortLinks.restore(ctx, link)
}

const destinationFields = ['destination_url', ...utmFields] as const

/** Merges the sent fields with the link's own. */
const destinationOf = (sent: Partial<Destination>, link: Partial<Destination> = {}) =>
  Object.fromEntries(
    destinationFields.map((field) => [field, (sent[field] === undefined ? link[field] : sent[field]) ?? null]),
  ) as Destination

/** Every process drops its cached entry of the link. */
export const publishChange = (ctx: Ctx, { code, uuid }: { code: string; uuid?: string }) =>
  ctx.afterCommit(() => ctx.services.channel.publish('short-link.changed', { code, uuid }))
