/** Creates notifications from the declared kinds, for the assignees of records or for given users. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { Events } from '#kernel/modules/events.ts'
import { actorName, type News, type NotificationKind } from '#kernel/modules/notifications.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import type { SubjectType } from '#kernel/names.ts'
import { recordsSeen, type Viewer } from './audience.ts'
import { MENTIONED } from './catalogue.ts'
import { MAX_SAMPLES } from './envelope.ts'
import { gatherNews, takeGathered } from './gathering.ts'
import { type Draft, notify } from './notify.ts'

/** Notifies users who may see one of the records: at once, or at the end of the batch that the change belongs to. */
async function notifyNews(ctx: Ctx, type: string, subject: SubjectType, news: News) {
  const concerned = (users: number[]) => (news.alsoActor ? users : users.filter((id) => id !== ctx.actor.id))
  const tell = (users: number[]) => notify(ctx, concerned(users), (viewer) => draftFor(ctx, viewer, type, subject, news))
  const users = news.users ?? (await usersIn(ctx, subject, 'assigned_to', news.ids))
  if (ctx.batch && news.ids.length && !news.escalates) return gatherNews(ctx, ctx.batch, type, subject, news, concerned(users))
  const told = await tell(users)
  if (told || !news.escalates) return
  if (!(await tell(await usersIn(ctx, subject, 'created_by', news.ids)))) await tell(await ownersOf(ctx))
}

export async function notifyOfEvent(ctx: Ctx, { type, subject, news }: NotificationKind, event: Events[keyof Events]) {
  for (const one of [(await news(ctx, event)) ?? []].flat()) await notifyNews(ctx, type, subject, one)
}

/** Sends the collected notifications of a batch that has ended. */
export async function notifyOfBatch(ctx: Ctx, ended: Events['batch.ended']) {
  for (const { type, subject, news } of await takeGathered(ctx, ended)) await notifyNews(ctx, type, subject, news)
}

/** Notifies users mentioned in a note of a record that they may see. */
export async function notifyMentioned(ctx: Ctx, { table, id, note_id, user_ids }: Events['record.mentioned']) {
  const subject = MENTIONED.find((type) => subjectOf(ctx, type)?.table === table)
  if (!subject) return
  await notifyNews(ctx, `${subject}.mentioned`, subject, {
    ...{ ids: [id], users: user_ids, source: 'mention', metadata: { note_id }, occasion: note_id },
    title: 'You were mentioned',
    body: (name) => `${actorName(ctx)} mentioned you in a note on ${subject.replaceAll('_', ' ')} ${name}.`,
  })
}

/**
 * Returns a notification of one record, or a digest of several (NTF-34 … NTF-36). The dedupe key of a single record contains that
 * record, so that notifications about different records never collide. A digest's key contains what its records have in common.
 */
async function draftFor(ctx: Ctx, viewer: Viewer, type: string, subject: SubjectType, news: News): Promise<Draft | undefined> {
  const { ids, title, body, digest, source = 'system', metadata, batch_id, occasion = ctx.now } = news
  const common = { type, source, metadata, entity_type: subject, ...(batch_id == null ? {} : { batch_id }) }
  const seen = await recordsSeen(viewer, subject, ids)
  const [first] = seen
  if (first && seen.size === 1) {
    const [id, { name, due }] = first
    return {
      ...{ ...common, title, body: body(name), entity_id: id, due },
      route: { resource: subject, action: 'show', entity_id: id },
      dedupe_key: `${type}:${id}:${viewer.id}:${occasion}`,
    }
  }
  const count = digest?.count ?? seen.size
  if (!digest || (!seen.size && digest.count === undefined)) return undefined
  return {
    ...{ ...common, isDigest: true, title: digest.title, body: digest.body(count), count },
    ...(seen.size ? { sample_entity_ids: [...seen.keys()].slice(0, MAX_SAMPLES) } : {}),
    route: { resource: subject, action: 'list', entity_id: null, filters: digest.filters },
    dedupe_key: `${type}.digest:${batch_id ?? ctx.now}:${viewer.id}`,
  }
}

async function usersIn(ctx: Ctx, type: SubjectType, column: 'assigned_to' | 'created_by', ids: number[]): Promise<number[]> {
  const subject = subjectOf(ctx, type)
  if (!subject) return []
  const { rows } = await sql<{ user_id: number }>`
    select distinct ${sql.ref(column)} as user_id from ${sql.table(subject.table)}
    where tenant_id = ${ctx.tenant.id} and id = any(${ids}::bigint[]) and ${sql.ref(column)} is not null`.execute(ctx.tx)
  return rows.map(({ user_id }) => user_id)
}

async function ownersOf(ctx: Ctx): Promise<number[]> {
  const owners = await ctx.from('users').select('id').where('is_owner', '=', true).where('deleted_at', 'is', null).execute()
  return owners.map(({ id }) => id)
}
