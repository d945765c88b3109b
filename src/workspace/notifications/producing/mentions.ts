/** Users who are named in a note of a record that they may see. */
import type { Ctx } from '#kernel/context.ts'
import type { Events } from '#kernel/modules/events.ts'
import { RESOURCES } from '../envelope.ts'
import { doer, notifyAboutRecord } from './records.ts'

export async function notifyMentioned(ctx: Ctx, { table, id, note_id, user_ids }: Events['record.mentioned']) {
  const entity = RESOURCES.find((type) => ctx.services.modules.subjects.get(type)?.of.table === table)
  if (!entity) return
  await notifyAboutRecord(ctx, user_ids, {
    ...{ type: `${entity}.mentioned`, entity, id, source: 'mention', metadata: { note_id }, key: String(note_id) },
    title: 'You were mentioned',
    body: (name) => `${doer(ctx)} mentioned you in a note on ${entity.replaceAll('_', ' ')} ${name}.`,
  })
}
