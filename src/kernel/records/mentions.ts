/** Mentions: `@[Name](user id)` in a note mentions a user of the workspace. */
import type { Ctx } from '../context.ts'
import { emit } from '../modules/events.ts'

declare module '../modules/events.ts' {
  interface Events {
    /**
     * A note mentions live users of the workspace, other than its author. Listeners must check with each user's own permissions
     * whether the user can see the record.
     */
    'record.mentioned': { table: string; id: number; note_id: number; user_ids: number[] }
  }
}

/** Maximum number of mentioned users per note; further ones aren't notified. */
const MAX = 50

/** Returns the ids that a text mentions, without duplicates, in order of appearance. */
export function mentionsIn(body: string): number[] {
  const found = [...body.matchAll(/@\[[^\]\n]{1,255}\]\((\d{1,15})\)/g)].map(([, id]) => Number(id))
  return [...new Set(found)].slice(0, MAX)
}

/** Emits an event for the users that a new note mentions. */
export async function emitMentions(ctx: Ctx, table: string, id: number, note: { id: number; body: string }) {
  const named = mentionsIn(note.body).filter((user) => user !== ctx.actor.id)
  if (!named.length) return
  const users = await ctx.tx
    .selectFrom('users')
    .select('id')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', 'in', named)
    .where('deleted_at', 'is', null)
    .where('is_service', '=', false)
    .orderBy('id')
    .execute()
  if (users.length) await emit(ctx, 'record.mentioned', { table, id, note_id: note.id, user_ids: users.map((user) => user.id) })
}
