/**
 * Collects notifications during work on many records, such as an import or a bulk change. When it ends, each user gets one
 * notification per kind.
 */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { Events } from '#kernel/modules/events.ts'
import { actorName, type News } from '#kernel/modules/notifications.ts'
import type { SubjectType } from '#kernel/names.ts'
import { insertAll } from '#kernel/records/many-rows.ts'
import { KINDS } from './catalogue.ts'

/** Placeholder for the record's name, which isn't known yet when the text is written. */
const NAME = '\ufffc'

/** Stores notifications about records for these users. A later one about the same record replaces the former. */
export async function gatherNews(ctx: Ctx, batch_id: string, type: string, subject: SubjectType, news: News, users: number[]) {
  const common = { batch_id, type, subject, title: news.title, body: news.body(NAME) }
  const kept = news.ids.flatMap((record_id) => users.map((user_id) => ({ ...common, user_id, record_id })))
  if (!kept.length) return
  await sql`
    delete from gathered_news where tenant_id = ${ctx.tenant.id} and batch_id = ${batch_id} and type = ${type}
    and user_id = any(${users}::bigint[]) and record_id = any(${news.ids}::bigint[])`.execute(ctx.tx)
  await insertAll(ctx, 'gathered_news', kept)
}

interface Gathered {
  type: string
  subject: SubjectType
  user_id: number
  title: string
  body: string
  ids: number[]
}

/** Removes and returns the collected notifications of one batch, by user and kind. */
export async function takeGathered(
  ctx: Ctx,
  { batch_id, of }: Events['batch.ended'],
): Promise<{ type: string; subject: SubjectType; news: News }[]> {
  const { rows } = await sql<Gathered>`
    with taken as (delete from gathered_news where tenant_id = ${ctx.tenant.id} and batch_id = ${batch_id} returning *)
    select type, subject, user_id, min(title) as title, min(body) as body, json_agg(record_id order by record_id) as ids
    from taken group by type, subject, user_id order by user_id, type`.execute(ctx.tx)
  return rows.map(({ type, subject, user_id, title, body, ids }) => ({
    ...{ type, subject },
    news: {
      ...{ ids, users: [user_id], alsoActor: true, title, batch_id, occasion: batch_id },
      body: (name) => body.replaceAll(NAME, () => name),
      ...(of === 'bulk' ? ofBulkChange(ctx, batch_id, type, title) : ofImport(ctx, batch_id, type, title)),
    },
  }))
}

const digestOf = (ctx: Ctx, batch_id: string, type: string) => KINDS.find((kind) => kind.type === type)?.digest?.(ctx, batch_id)

const ofImport = (ctx: Ctx, batch_id: string, type: string, title: string): Pick<News, 'source' | 'digest'> => ({
  source: 'import',
  digest: {
    title: digestOf(ctx, batch_id, type)?.title ?? title,
    body: (count) => `${count} records came with an import by ${actorName(ctx)}.`,
    filters: {},
  },
})

/** NTF-34, NTF-36. */
const ofBulkChange = (ctx: Ctx, batch_id: string, type: string, title: string): Pick<News, 'source' | 'digest'> => ({
  source: type.endsWith('.assigned') ? 'bulk_assign' : 'system',
  digest: digestOf(ctx, batch_id, type) ?? {
    ...{ title, body: (count) => `${actorName(ctx)} changed ${count} records together.`, filters: {} },
  },
})
