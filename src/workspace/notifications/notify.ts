/**
 * Notifies users. Stored first, in the event's transaction; after the commit broadcast, pushed and, where the workspace wants
 * that, mailed (NTF-22, NTF-25, NTF-29). Never twice with one dedupe key, and never about a record that the user may not see.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { letter } from '#kernel/mail/letter.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { localDay } from '#kernel/values/written.ts'
import { type News, type Viewer, viewersAmong } from './audience.ts'
import { factsOf } from './catalogue.ts'
import { type Envelope, SCHEMA_VERSION } from './envelope.ts'
import { frontEndOf, preferencesAddress } from './front-end.ts'
import { wantedOn } from './preferences.ts'
import { pushNews } from './push/push.ts'
import { broadcast } from './realtime/channels.ts'
import { unsubscribeLink } from './unsubscribing.ts'

/** Lead assignments are never mailed (NTF-30), and nothing is sent to an unverified address. */
async function mailNews(ctx: Ctx, news: News[]) {
  const mailable = news.filter(({ type, viewer }) => !factsOf(type).unmailed && viewer.email !== null)
  if (!mailable.length || !(await ctx.setting('email_notifications'))) return
  const wanted = await wantedOn('mail', ctx, mailable)
  const accent = await ctx.setting('document_accent_color')
  const root = await frontEndOf(ctx)
  for (const { viewer, type, data, due } of wanted) {
    const unsubscribe = unsubscribeLink(ctx, { user_id: viewer.id, type })
    await sendMail(ctx, {
      type: `notification.${data.type}`,
      to: [viewer.email!],
      subject: data.title,
      unsubscribeUrl: unsubscribe.url,
      ...letter({
        title: data.title,
        from: ctx.tenant.name,
        paragraphs: [data.body],
        facts: due === null ? [] : [{ label: 'Due', value: localDay(due, ctx.tenant.locale) }],
        button: { label: 'Open', url: screenOf(ctx, root, data.route) },
        notes: [
          { text: 'Choose which notifications are mailed to you', url: await preferencesAddress(ctx) },
          { text: 'Stop mails of this kind', url: unsubscribe.url },
          { text: `The link that stops them is good until ${localDay(unsubscribe.until, ctx.tenant.locale)}.` },
        ],
        accent,
      }),
    })
  }
}

/** Returns the front end's address of the notification's target. */
function screenOf(
  { services: { modules } }: Ctx,
  root: string,
  { resource, action, entity_id, filters = {} }: Envelope['route'],
) {
  const screen = `${root}/${modules.subjects.get(resource)!.of.module}`
  if (action === 'show') return `${screen}/${entity_id}`
  const query = new URLSearchParams(filters).toString()
  return query ? `${screen}?${query}` : screen
}

/** Input of a producer; the rest of the envelope is derived. */
export type Draft = Pick<Envelope, 'title' | 'body' | 'entity_type' | 'source' | 'route' | 'dedupe_key'> &
  Partial<Pick<Envelope, 'entity_id' | 'metadata' | 'count' | 'batch_id' | 'sample_entity_ids'>> & {
    /** Type that a digest collects. */
    type: string
    isDigest?: boolean
    /** Due date of the record. */
    due?: string | null
  }

/**
 * Sends each user the notification that `compose` returns; undefined: none. Returns whether any user has been notified by now.
 */
export async function notify(
  ctx: Ctx,
  userIds: number[],
  compose: (viewer: Viewer) => Promise<Draft | undefined>,
): Promise<boolean> {
  const viewers = await viewersAmong(ctx, [...new Set(userIds)])
  const drafts = await allPipelined(...viewers.map(compose))
  const news = viewers.flatMap((viewer, n) => (drafts[n] ? { viewer, draft: drafts[n] } : []))
  const written = await write(
    ctx,
    news.map(({ draft: { due = null, ...draft }, viewer }) => ({ type: draft.type, viewer, data: envelopeOf(ctx, draft), due })),
  )
  if (!written.length) return news.length > 0
  broadcast(ctx, written)
  await pushNews(ctx, written)
  await mailNews(ctx, written)
  return true
}

function envelopeOf(
  ctx: Ctx,
  { isDigest, type, title, body, route, entity_id = null, metadata = {}, ...draft }: Omit<Draft, 'due'>,
): Envelope {
  return {
    schema_version: SCHEMA_VERSION,
    type: isDigest ? `${type}.digest` : type,
    category: factsOf(type).category,
    title: withoutAddresses(title),
    body: withoutAddresses(body),
    ...draft,
    route: { filters: {}, ...route },
    entity_id,
    actor_id: ctx.actor.id,
    metadata,
    delivery: isDigest ? 'aggregated' : 'immediate',
    broadcast_ready: true,
  }
}

/** Removes email addresses, because a record's name may contain one and broadcasts must not (NTF-26). */
const withoutAddresses = (text: string) => text.replace(/[^\s@<>()[\],;:"]{1,64}@[^\s@<>()[\],;:"]{1,255}/g, '(e-mail address)')

/** Stores notifications and returns the new ones; skips those whose user already has the dedupe key (NTF-31). */
async function write(ctx: Ctx, news: Omit<News, 'id'>[]): Promise<News[]> {
  if (!news.length) return []
  const rows = news.map(({ viewer, data }) => ({ user_id: viewer.id, type: data.type, data, dedupe_key: data.dedupe_key }))
  const { rows: written } = await sql<{ id: string; user_id: number }>`
    insert into notifications (tenant_id, user_id, type, data, dedupe_key, created_at, updated_at)
    select ${ctx.tenant.id}, user_id, type, data, dedupe_key, ${ctx.now}, ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(user_id bigint, type text, data jsonb, dedupe_key text)
    on conflict (tenant_id, user_id, dedupe_key) do nothing returning id, user_id`.execute(ctx.tx)
  const ids = new Map(written.map(({ id, user_id }) => [user_id, id]))
  return news.flatMap((one) => (ids.has(one.viewer.id) ? { ...one, id: ids.get(one.viewer.id)! } : []))
}
