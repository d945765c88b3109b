/** Changing leads by rows that match them: as PUT /leads/:id does, but an empty cell leaves what is, and tags are added. */
import { type Ctx, savepoint } from '#kernel/context.ts'
import { handOver } from '../assignment/assigning.ts'
import { changeLead } from '../changing.ts'
import { leads } from '../leads.ts'
import { ChangeLead } from '../schema.ts'
import { linkedTo } from '../tags/tagging.ts'
import type { Failure } from './failures.ts'
import { addNotes, failureOf, isOfARow } from './inserting.ts'
import type { ValidRow } from './validate-rows.ts'

export interface Update {
  id: number
  by: ValidRow
}

/** Each in a savepoint, because any of them may be refused; gives the failures. */
export async function updateMatched(ctx: Ctx, batch_id: string, updates: Update[]): Promise<Failure[]> {
  const failures: Failure[] = []
  for (const { id, by } of updates) {
    try {
      await savepoint(ctx, (part) => update(part, batch_id, id, by))
    } catch (error) {
      if (!isOfARow(error)) throw error
      failures.push(failureOf(by, error))
    }
  }
  return failures
}

async function update(ctx: Ctx, batch_id: string, id: number, { input, assignee, commission_rate, draft, note }: ValidRow) {
  const changes = ChangeLead.parse(input)
  const lead = await leads.lock(ctx, id)
  const tag_ids = changes.tag_ids?.length ? [...new Set([...(await linkedTo(ctx, lead)), ...changes.tag_ids])] : undefined
  await changeLead(ctx, lead, { ...changes, tag_ids })
  if (assignee && assignee.id !== lead.assigned_to)
    await handOver(ctx, [lead], assignee, { reason: null, source: 'import', batch_id })
  const { external_id } = draft.values
  const columns = { ...(external_id ? { external_id } : {}), ...(commission_rate === undefined ? {} : { commission_rate }) }
  if (Object.keys(columns).length)
    await ctx.tx
      .updateTable('leads')
      .set({ ...columns, updated_at: ctx.now })
      .where('tenant_id', '=', ctx.tenant.id)
      .where('id', '=', id)
      .execute()
  if (note) await addNotes(ctx, [{ lead_id: id, body: note }])
}
