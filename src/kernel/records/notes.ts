/** Notes of a record. */
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { invalid, notFound } from '../errors.ts'
import { instant, text } from '../values/fields.ts'
import { ActorRef, actorJson, joinById } from './embed.ts'
import { emitMentions } from './mentions.ts'
import { PageText } from './page-text.ts'
import { isTruncated, listOf, markedJson, TRUNCATED_LENGTH, withinBudget } from './text-budget.ts'
import { type commonActivityTemplates, type HasTimeline, logActivity, pageOfEntries } from './timeline.ts'
import { type At, embedded, JsonText, MAX_EMBEDDED } from './view.ts'

export const Note = z
  .object({ id: z.int(), body: z.string(), creator: ActorRef.nullable(), created_at: instant(), is_truncated: isTruncated() })
  .meta({ id: 'Note' })
export type Note = z.infer<typeof Note>

/** Body of every notes route (CONV-10). */
export const NoteBody = z.object({
  body: text(65_535).meta({
    description: 'Plain text. `@[Ann Ash](7)` mentions the user of that id, who is notified where they may see the record.',
    examples: ['Called, and will decide on Friday.'],
  }),
})

/** Query for the notes of one record, newest first (CONV-08). */
const notes = (ctx: Ctx, subject: string, id: unknown, limit: unknown) => sql<Note>`
  ${shownOf(sql.ref('n.body'))}
  from notes n ${joinById(ctx, 'users', 'u', 'n.created_by')}
  where n.tenant_id = ${ctx.tenant.id} and n.subject_type = ${sql.lit(subject)} and n.subject_id = ${id}
  order by n.created_at desc, n.id desc ${limit}`

const shownOf = (body: RawBuilder<unknown>) => sql`
  select n.id, ${body} as body, ${actorJson('u')} as creator, app.iso(n.created_at) as created_at`

/** The same as JSON texts; long notes are truncated to the page's budget. */
const noteTexts = (ctx: Ctx, subject: string, id: unknown, limit: unknown) => {
  const rows = sql`
    select * from notes n
    where n.tenant_id = ${ctx.tenant.id} and n.subject_type = ${sql.lit(subject)} and n.subject_id = ${id}
    order by n.created_at desc, n.id desc ${limit}`
  const body = sql`case when n.is_truncated then left(n.body, ${sql.lit(TRUNCATED_LENGTH)}) else n.body end`
  return sql<{ json: string }>`
    select ${markedJson('shown', sql.ref('n.is_truncated'))} as json
    from ${withinBudget(ctx, rows, 'n', sql`octet_length(n.body)`)} ${joinById(ctx, 'users', 'u', 'n.created_by')}
    cross join lateral (${shownOf(body)}) shown
    order by n.created_at desc, n.id desc`
}

/** Field of a view: the record's most recent note, or null. */
export const latestNote = () =>
  embedded(Note.nullable(), {
    columns: ['id'],
    value: ({ ctx, table }: At) =>
      sql`(select row_to_json(n) from (${notes(ctx, table, sql.ref(`${table}.id`), sql`limit 1`)}) n)`,
  })

/** Field of a detail view: the newest notes. */
export const newestNotes = () =>
  embedded(z.array(Note), {
    columns: ['id'],
    value: ({ ctx, table }: At) =>
      sql`${listOf(noteTexts(ctx, table, sql.ref(`${table}.id`), sql`limit ${sql.lit(MAX_EMBEDDED)}`))}::json`,
  })

/** Returns a page of a record's notes, newest first. */
export async function notesOf(ctx: Ctx, of: HasTimeline, id: number, paging: { page: number; per_page: number }) {
  const { rows, total } = await pageOfEntries(ctx, 'notes', noteTexts, of, id, paging)
  return new PageText(`[${rows.map(({ json }) => json).join()}]`, { total })
}

/** Returns one note of a record in full. Throws 404 if the record has no such note. */
export async function noteOf(ctx: Ctx, of: HasTimeline, id: number, noteId: number): Promise<JsonText> {
  const { rows } = await sql<{ json: string }>`
    select (select row_to_json(shown)::text from (${shownOf(sql.ref('n.body'))}) shown) as json
    from notes n ${joinById(ctx, 'users', 'u', 'n.created_by')}
    where n.tenant_id = ${ctx.tenant.id} and n.subject_type = ${of.table} and n.subject_id = ${id} and n.id = ${noteId}`.execute(
    ctx.tx,
  )
  if (!rows[0]) throw notFound('There is no such note.')
  return new JsonText(rows[0].json)
}

/** Maximum number of notes of a record. */
const MAX_NOTES = 10_000

/** Throws 422 on `body` if the record, which the caller has locked, has the maximum number of notes. */
async function assertRoomForNote(ctx: Ctx, of: HasTimeline, id: number) {
  const last = await ctx
    .from('notes')
    .select('id')
    .where('subject_type', '=', of.table)
    .where('subject_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(MAX_NOTES - 1)
    .limit(1)
    .executeTakeFirst()
  if (last) throw invalid({ body: `A record has at most ${MAX_NOTES} notes.` })
}

/** Writes a note, adds a timeline entry, and notifies mentioned users. Throws 422 on `body` if the record has 10,000 notes. */
export async function addNote(
  ctx: Ctx,
  of: HasTimeline<typeof commonActivityTemplates>,
  id: number,
  body: string,
): Promise<Note> {
  const { actor } = ctx
  await assertRoomForNote(ctx, of, id)
  const note = await ctx.tx
    .insertInto('notes')
    .values({
      tenant_id: ctx.tenant.id,
      subject_type: of.table,
      subject_id: id,
      body,
      created_by: actor.id,
      created_at: ctx.now,
    })
    .returning(['id', 'body', 'created_at'])
    .executeTakeFirstOrThrow()
  await logActivity(ctx, of, id, 'note_added', { note_id: note.id })
  await emitMentions(ctx, of.table, id, note)
  return { ...note, creator: actor.id === null ? null : { id: actor.id, name: actor.name, email: actor.email || null } }
}
