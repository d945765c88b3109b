/** Mentions: `@[Name](user id)` in a note names a user of the workspace. */
import type { Ctx } from '../context.ts'
import { emit } from '../modules/events.ts'

declare module '../modules/events.ts' {
  interface Events {
    /**
     * A note names live users of the workspace; its writer is not among them. Whether each may see the record is for the listener to
     * ask, with that user's own rights.
     */
    'record.mentioned': { table: string; id: number; note_id: number; user_ids: number[] }
  }
}

/** More than these in one note are not told. */
const MAX = 50

/** The ids that a text mentions, each once, the first ones first. */
export function mentionsIn(body: string): number[] {
  const found = [...body.matchAll(/@\[[^\]\n]{1,255}\]\((\d{1,15})\)/g)].map(([, id]) => Number(id))
  return [...new Set(found)].slice(0, MAX)
}

/** Tells whom a new note mentions. */
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
