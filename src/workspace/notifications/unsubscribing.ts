/**
 * Unsubscribes a user from mails of one kind by a signed link without sign-in (RFC 8058). The link permits nothing else, works
 * repeatedly, and expires.
 */
import { sql } from 'kysely'
import type { Ctx, PublicCtx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import type { Brand } from '#kernel/modules/branding.ts'
import { enterWorkspace, isOpen } from '#kernel/tenancy/session.ts'
import { dateIn, plusSeconds } from '#kernel/values/time.ts'
import { factsOf, TYPES } from './catalogue.ts'
import { preferencesAddress } from './front-end.ts'

const PURPOSE = 'unsubscribe'
const LASTS_SECONDS = 90 * 24 * 3600

interface Subscription {
  user_id: number
  type: string
}

/** Returns the address and the last whole day of its validity. */
export function unsubscribeLink({ services: { config, secrets }, tenant, now }: Ctx, { user_id, type }: Subscription) {
  const until = plusSeconds(now, LASTS_SECONDS)
  const text = `${tenant.id}-${user_id}-${Math.floor(Date.parse(until) / 1000)}-${type}`
  const url = `${config.BASE_URL}/unsubscribe/${text}-${secrets.sign(PURPOSE, text)}`
  return { url, until: dateIn(tenant.timezone, plusSeconds(until, -24 * 3600)) }
}

const TOKEN = /^((\d{1,15})-(\d{1,15})-(\d{1,12})-([a-z_.]{1,100}))-([\w-]{43})$/

/** Returns what a link unsubscribes from. 404 for an invalid or expired one. */
export const readUnsubscribing = (ctx: PublicCtx, token: string) =>
  throughLink(ctx, token, async (ctx, { type }) => told(ctx, type))

/** Disables the mails, whatever the preference was. */
export const unsubscribe = (ctx: PublicCtx, token: string) =>
  throughLink(ctx, token, async (ctx, { user_id, type }) => {
    await sql`
      insert into notification_preferences as p (tenant_id, user_id, type, mail, updated_at)
      values (${ctx.tenant.id}, ${user_id}, ${type}, false, ${ctx.now})
      on conflict (tenant_id, user_id, type) do update set mail = false, updated_at = excluded.updated_at
      where p.mail is distinct from false`.execute(ctx.tx)
    return told(ctx, type)
  })

/** Returns the workspace's branding, the kind's title, and the address of the preferences. */
async function told(ctx: Ctx, type: string) {
  const { logo_path } = await ctx.tx
    .selectFrom('tenants')
    .select('logo_path')
    .where('id', '=', ctx.tenant.id)
    .executeTakeFirstOrThrow()
  const brand: Brand = {
    name: ctx.tenant.name,
    accent: (await ctx.setting('document_accent_color')) ?? undefined,
    logoUrl: logo_path && ctx.services.storage.url(logo_path),
  }
  return { brand, title: factsOf(type).title, preferences: await preferencesAddress(ctx) }
}

async function throughLink<T>(ctx: PublicCtx, token: string, work: (ctx: Ctx, named: Subscription) => Promise<T>): Promise<T> {
  const [, text = '', tenant, user, until, type = '', signature = ''] = TOKEN.exec(token) ?? []
  const isOurs = ctx.services.secrets.verify(PURPOSE, text, signature)
  if (!isOurs || Number(until) * 1000 < Date.parse(ctx.now) || !TYPES.includes(type)) throw notFound(INVALID)
  const open = ctx.tx.selectFrom('tenants as t').select('t.id').where('t.id', '=', Number(tenant)).where(isOpen('t'))
  if (!(await open.executeTakeFirst())) throw notFound(INVALID)
  return enterWorkspace(ctx, Number(tenant), async (ctx) => {
    const user_id = Number(user)
    const found = ctx.from('users').select('id').where('id', '=', user_id).where('deleted_at', 'is', null)
    if (!(await found.executeTakeFirst())) throw notFound(INVALID)
    return work(ctx, { user_id, type })
  })
}

const INVALID = 'This link is not valid, or its time is over.'
