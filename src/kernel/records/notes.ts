/** Notes on a record. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { text } from '../values/fields.ts'
import { UserRef, userRef } from './embed.ts'
import { type commonSentences, logActivity } from './timeline.ts'

export const Note = z
  .object({ id: z.int(), body: z.string(), creator: UserRef.nullable(), created_at: z.iso.datetime() })
  .meta({ id: 'Note' })
export type Note = z.infer<typeof Note>

/** Body of every notes route (CONV-10). */
export const NoteBody = z.object({ body: text(65_535) })

const noteJson = sql`json_build_object('id', notes.id, 'body', notes.body, 'creator', ${userRef('notes', 'created_by')}, 'created_at', app.iso(notes.created_at))`

const ofRow = (table: string) => sql`
  notes.tenant_id = ${sql.ref(`${table}.tenant_id`)} and notes.subject_type = ${sql.lit(table)} and notes.subject_id = ${sql.ref(`${table}.id`)}`

/** The most recent note of the record in the row at hand, or null. */
export const latestNote = (table: string) => sql<Note | null>`(
  select ${noteJson} from notes where ${ofRow(table)} order by notes.created_at desc, notes.id desc limit 1)`

/** Its notes, newest first (CONV-08). */
export const notesOf = (table: string) => sql<Note[]>`(
  select coalesce(json_agg(${noteJson} order by notes.created_at desc, notes.id desc), '[]') from notes where ${ofRow(table)})`

/** Writes a note and says so in the timeline. */
export async function addNote(
  ctx: Ctx,
  subject: { table: string; sentences: typeof commonSentences },
  id: number,
  body: string,
): Promise<Note> {
  const note = await ctx.tx
    .insertInto('notes')
    .values({
      tenant_id: ctx.tenant.id,
      subject_type: subject.table,
      subject_id: id,
      body,
      created_by: ctx.actor.id,
      created_at: ctx.now,
    })
    .returning(['id', 'body', 'created_at'])
    .executeTakeFirstOrThrow()
  await logActivity(ctx, subject, id, 'note_added', { note_id: note.id })
  const { actor } = ctx
  return { ...note, creator: actor.id === null ? null : { id: actor.id, name: actor.name, email: actor.email } }
}
