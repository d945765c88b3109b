/** New leads of an import: a few statements for all of them, and smaller lots only where one of them fails. */
import { sql } from 'kysely'
import { type Ctx, savepoint } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import { rememberAssignments } from '../assignment/assigning.ts'
import { insertLeads } from '../creation/creating.ts'
import { type Failure, rejected } from './failures.ts'
import { givenTo, type ValidRow } from './validate-rows.ts'

/** A row that becomes a lead. */
export interface NewLead {
  id: number
  from: ValidRow
}

/** Inserts what can be inserted, and gives the failures of the others. */
export async function insertNew(ctx: Ctx, batch_id: string, made: NewLead[]): Promise<Failure[]> {
  if (!made.length) return []
  try {
    await savepoint(ctx, (part) => insertAll(part, batch_id, made))
    return []
  } catch (error) {
    if (!isOfARow(error)) throw error
    if (made.length === 1) return [failureOf(made[0]!.from, error)]
    const half = made.length >> 1
    const first = await insertNew(ctx, batch_id, made.slice(0, half))
    return [...first, ...(await insertNew(ctx, batch_id, made.slice(half)))]
  }
}

/** Refused by a rule or by the database for what it contains; anything else (a lost connection, a deadlock) is the whole batch’s trouble. */
export const isOfARow = (error: unknown) => error instanceof HttpError || /^2[23]/.test((error as { code?: string }).code ?? '')

export function failureOf({ row }: ValidRow, error: unknown): Failure {
  if (error instanceof HttpError && error.errors) return rejected(row, error.errors)
  return { row, reason: (error as Error).message, errors: null }
}

async function insertAll(ctx: Ctx, batch_id: string, made: NewLead[]) {
  const drafts = made.map(({ id, from: { draft, commission_rate } }) => {
    const { values, ...more } = draft
    return { ...more, id, values: { ...values, batch_id, commission_rate: commission_rate ?? values.commission_rate } }
  })
  await insertLeads(ctx, drafts)
  const others = drafts.filter(({ values }) => values.assigned_to !== ctx.actor.id)
  await rememberAssignments(
    ctx,
    others.map(({ id, values }) => ({ lead_id: id, from: null, to: values.assigned_to })),
    { reason: null, source: 'import', batch_id },
  )
  await addNotes(
    ctx,
    made.flatMap(({ id, from: { note } }) => (note ? [{ lead_id: id, body: note }] : [])),
  )
}

/** Notes by the importer (LEAD-63), each told in its lead’s timeline. Whom they mention isn't told: a file is no conversation. */
export async function addNotes(ctx: Ctx, notes: { lead_id: number; body: string }[]) {
  if (!notes.length) return
  const { tenant, actor, now } = ctx
  await sql`
    with made as (
      insert into notes (tenant_id, subject_type, subject_id, body, created_by, created_at)
      select ${tenant.id}::bigint, 'leads', lead_id, body, ${actor.id}::bigint, ${now}::timestamptz
      from json_to_recordset(${JSON.stringify(notes)}::json) as given (lead_id bigint, body text)
      returning id, subject_id
    )
    insert into activities (tenant_id, subject_type, subject_id, type, properties, actor_id, impersonator_id, impersonator_type, created_at)
    select ${tenant.id}::bigint, 'leads', subject_id, 'note_added', jsonb_build_object('note_id', id), ${actor.id}::bigint,
      ${actor.impersonator?.id ?? null}::bigint, ${actor.impersonator?.type ?? null}, ${now}::timestamptz
    from made returning 1`.execute(ctx.tx)
}

/** Gives new leads to the members in turn, the one first whose turn it is; rows that name somebody keep them (LEAD-66). */
export function distribute(made: NewLead[], members: Parameters<typeof givenTo>[1][], given: number): number {
  if (!members.length) return given
  for (const one of made) {
    if (one.from.assignee) continue
    one.from = { ...one.from, draft: givenTo(one.from.draft, members[given++ % members.length]!) }
  }
  return given
}
