/**
 * Ending mails of one kind to one user, by a signed link that asks for no sign-in (RFC 8058). Whoever has the link can do that and nothing else,
 * as often as they like, until its time is over.
 */
import { sql } from 'kysely'
import type { Ctx, PublicCtx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { enterWorkspace, isOpen } from '#kernel/tenancy/session.ts'
import { dateIn, plusSeconds } from '#kernel/values/time.ts'
import { factsOf, TYPES } from './catalogue.ts'

const PURPOSE = 'unsubscribe'
const LASTS_SECONDS = 90 * 24 * 3600

interface Subscription {
  user_id: number
  type: string
}

/** The address, and the last whole day on which it is good. */
export function unsubscribeLink({ services: { config, secrets }, tenant, now }: Ctx, { user_id, type }: Subscription) {
  const until = plusSeconds(now, LASTS_SECONDS)
  const text = `${tenant.id}-${user_id}-${Math.floor(Date.parse(until) / 1000)}-${type}`
  const url = `${config.BASE_URL}/unsubscribe/${text}-${secrets.sign(PURPOSE, text)}`
  return { url, until: dateIn(tenant.timezone, plusSeconds(until, -24 * 3600)) }
}

const TOKEN = /^((\d{1,15})-(\d{1,15})-(\d{1,12})-([a-z_.]{1,100}))-([\w-]{43})$/

/** What a link is about: the workspace, and in words the kind of notification. 404 for one that isn't ours, or is over. */
export const readUnsubscribing = (ctx: PublicCtx, token: string) =>
  throughLink(ctx, token, async ({ tenant }, { type }) => ({ workspace: tenant.name, title: factsOf(type).title }))

/** Ends the mails, whatever was said before. */
export const unsubscribe = (ctx: PublicCtx, token: string) =>
  throughLink(ctx, token, async (ctx, { user_id, type }) => {
    await sql`
      insert into notification_preferences as p (tenant_id, user_id, type, mail, updated_at)
      values (${ctx.tenant.id}, ${user_id}, ${type}, false, ${ctx.now})
      on conflict (tenant_id, user_id, type) do update set mail = false, updated_at = excluded.updated_at
      where p.mail is distinct from false`.execute(ctx.tx)
    return { workspace: ctx.tenant.name, title: factsOf(type).title }
  })

async function throughLink<T>(ctx: PublicCtx, token: string, work: (ctx: Ctx, named: Subscription) => Promise<T>): Promise<T> {
  const [, text = '', tenant, user, until, type = '', signature = ''] = TOKEN.exec(token) ?? []
  const isOurs = ctx.services.secrets.verify(PURPOSE, text, signature)
  if (!isOurs || Number(until) * 1000 < Date.parse(ctx.now) || !TYPES.includes(type)) throw notFound(INVALID)
  const found = await ctx.tx
    .selectFrom('users as u')
    .innerJoin('tenants as t', 't.id', 'u.tenant_id')
    .select('u.id')
    .where('u.tenant_id', '=', Number(tenant))
    .where('u.id', '=', Number(user))
    .where('u.deleted_at', 'is', null)
    .where(isOpen('t'))
    .executeTakeFirst()
  if (!found) throw notFound(INVALID)
  return enterWorkspace(ctx, Number(tenant), (within) => work(within, { user_id: found.id, type }))
}

const INVALID = 'This link is not valid, or its time is over.'
