/**
 * Saves the leads of an import. New leads are inserted in bulk, in smaller lots only where one of them fails. Matched leads are
 * updated one by one.
 */
import { sql } from 'kysely'
import { type Ctx, savepoint } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { refusalOf } from '#kernel/database/failures.ts'
import { HttpError } from '#kernel/errors.ts'
import { revise } from '#kernel/records/changes.ts'
import { handOver, rememberAssignments } from '../assignment.ts'
import { leads } from '../leads.ts'
import { changeLead, insertLeads } from '../saving.ts'
import { ChangeLead } from '../schema.ts'
import { linkedTo } from '../tagging.ts'
import { type Failure, rejected } from './imports.ts'
import { givenTo, type ValidRow } from './rows.ts'
import { type Deed, keptOf } from './undo.ts'

/** A row that becomes a lead. */
export interface NewLead {
  id: number
  from: ValidRow
}

/** Inserts the rows that can be inserted and returns the failures of the others. */
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

/**
 * Returns whether a rule or the database rejected a row's content. Other errors (lost connection, deadlock) fail the whole batch.
 */
const isOfARow = (error: unknown) => error instanceof HttpError || /^2[23]/.test((error as { code?: string }).code ?? '')

function failureOf({ row }: ValidRow, error: unknown): Failure {
  const { message, errors } = refusalOf(error)
  return errors ? rejected(row, errors) : { row, reason: message, errors: null }
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

/**
 * Adds the importer's notes (LEAD-63) with timeline entries and returns their ids. Mentions don't notify: a file is no
 * conversation.
 */
async function addNotes(ctx: Ctx, notes: { lead_id: number; body: string }[]): Promise<number[]> {
  if (!notes.length) return []
  const { tenant, actor, now } = ctx
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into notes (tenant_id, subject_type, subject_id, body, created_by, created_at)
      select ${tenant.id}::bigint, 'leads', lead_id, body, ${actor.id}::bigint, ${now}::timestamptz
      from json_to_recordset(${JSON.stringify(notes)}::json) as given (lead_id bigint, body text)
      returning id, subject_id
    ), told as (
    insert into activities (tenant_id, subject_type, subject_id, type, properties, actor_id, impersonator_id, impersonator_type, client, created_at)
    select ${tenant.id}::bigint, 'leads', subject_id, 'note_added', jsonb_build_object('note_id', id), ${actor.id}::bigint,
      ${actor.impersonator?.id ?? null}::bigint, ${actor.impersonator?.type ?? null}, ${ctx.request.client}::text, ${now}::timestamptz
    from made returning 1
    ) select id from made`.execute(ctx.tx)
  return rows.map(({ id }) => id)
}

/** Assigns new leads to the members in rotation, continuing at position `given`. Rows that name an assignee keep it (LEAD-66). */
export function distribute(made: NewLead[], members: Parameters<typeof givenTo>[1][], given: number): number {
  if (!members.length) return given
  for (const one of made) {
    if (one.from.assignee) continue
    one.from = { ...one.from, draft: givenTo(one.from.draft, members[given++ % members.length]!) }
  }
  return given
}

// Updates leads from matching rows, as PUT /leads/:id does. But empty cells leave the old value, and tags are added.

export interface Update {
  id: number
  by: ValidRow
}

/** Uses a savepoint for each lead, because any of them may be rejected. */
export async function updateMatched(
  ctx: Ctx,
  batch_id: string,
  updates: Update[],
): Promise<{ done: Deed[]; failures: Failure[] }> {
  const done: Deed[] = []
  const failures: Failure[] = []
  for (const { id, by } of updates) {
    try {
      done.push(await savepoint(ctx, (part) => update(part, batch_id, id, by)))
    } catch (error) {
      if (!isOfARow(error)) throw error
      failures.push(failureOf(by, error))
    }
  }
  return { done, failures }
}

async function update(ctx: Ctx, batch_id: string, id: number, by: ValidRow): Promise<Deed> {
  const { input, assignee, commission_rate, draft, note } = by
  const changes = ChangeLead.parse(input)
  const lead = await leads.lock(ctx, id)
  const [linked, newest] = await allPipelined(linkedTo(ctx, lead), newestFollowUp(ctx, id))
  const tag_ids = changes.tag_ids?.length ? [...new Set([...linked, ...changes.tag_ids])] : undefined
  await changeLead(ctx, lead, { ...changes, tag_ids })
  const to = assignee && assignee.id !== lead.assigned_to ? assignee : undefined
  if (to) await handOver(ctx, [lead], to, { reason: null, source: 'import', batch_id })
  const { external_id } = draft.values
  await revise(ctx, leads, to ? { ...lead, commission_rate: to.commission_rate } : lead, {
    ...(external_id ? { external_id } : {}),
    ...(commission_rate === undefined ? {} : { commission_rate }),
  })
  const note_ids = note ? await addNotes(ctx, [{ lead_id: id, body: note }]) : []
  return {
    ...{ record_id: id, row_number: by.row.n, revision_before: lead.revision, before: keptOf(lead, [...linked]) },
    ...{ note_ids, follow_up_ids: await followUpsBehind(ctx, id, newest) },
  }
}

const newestFollowUp = async (ctx: Ctx, leadId: number): Promise<number> => {
  const newest = ctx
    .from('lead_follow_ups')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('lead_id', '=', leadId)
  return (await newest.executeTakeFirstOrThrow()).id ?? 0
}

async function followUpsBehind(ctx: Ctx, leadId: number, newest: number): Promise<number[]> {
  const found = await ctx.from('lead_follow_ups').select('id').where('lead_id', '=', leadId).where('id', '>', newest).execute()
  return found.map(({ id }) => id)
}
