/** Telling of one record: the user whom it is given to, or those who are named. Nobody is told of their own act. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import type { Events } from '#kernel/modules/events.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import { namesSeen } from './audience.ts'
import type { NotificationType } from './catalogue.ts'
import { RESOURCES, type Resource, type Source } from './envelope.ts'
import { notify } from './notify.ts'

export interface RecordNews {
  type: NotificationType
  entity: Resource
  id: number
  title: string
  /** What stands in the body, given the record's name. */
  body: (name: string) => string
  source?: Source
  metadata?: Record<string, unknown>
  /** What is told once: by default, this of this record at this moment. */
  key?: string
}

/** Who does it, in a sentence. */
export const doer = (ctx: Ctx) => (ctx.actor.id === null ? 'Atrium' : ctx.actor.name)

/** Those who may see the record are told. */
export const notifyAboutRecord = (ctx: Ctx, userIds: number[], told: RecordNews) =>
  notify(
    ctx,
    userIds.filter((id) => id !== ctx.actor.id),
    async (viewer) => {
      const { type, entity, id, title, body, source = 'system', metadata, key = `${id}:${ctx.now}` } = told
      const name = (await namesSeen(viewer, entity, [id])).get(id)
      if (name === undefined) return undefined
      return {
        ...{ type, title, body: body(name), entity_type: entity, entity_id: id, source, metadata },
        route: { resource: entity, action: 'show', entity_id: id },
        dedupe_key: `${type}:${key}:${viewer.id}`,
      }
    },
  )

/** Whoever the record is given to, if anybody. */
export async function notifyAssignee(ctx: Ctx, told: RecordNews) {
  const subject = subjectOf(ctx, told.entity)
  if (!subject) return
  const { rows } = await sql<{ assigned_to: number }>`
    select assigned_to from ${sql.table(subject.table)}
    where tenant_id = ${ctx.tenant.id} and id = ${told.id} and assigned_to is distinct from ${ctx.actor.id} and assigned_to is not null`.execute(
    ctx.tx,
  )
  await notifyAboutRecord(
    ctx,
    rows.map(({ assigned_to }) => assigned_to),
    told,
  )
}

export async function notifyMentioned(ctx: Ctx, { table, id, note_id, user_ids }: Events['record.mentioned']) {
  const entity = RESOURCES.find((type) => ctx.services.modules.subjects.get(type)?.of.table === table)
  if (!entity) return
  await notifyAboutRecord(ctx, user_ids, {
    ...{ type: `${entity}.mentioned`, entity, id, source: 'mention', metadata: { note_id }, key: String(note_id) },
    title: 'You were mentioned',
    body: (name) => `${doer(ctx)} mentioned you in a note on ${entity.replaceAll('_', ' ')} ${name}.`,
  })
}
