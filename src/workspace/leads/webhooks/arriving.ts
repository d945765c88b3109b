/** Leads that nobody of the workspace makes: what websites and ads deliver. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { allPipelined } from '#kernel/database/connect.ts'
import { emitAssigned, rememberAssignments } from '../assignment/assigning.ts'
import type { Assignee } from '../assignment/eligible.ts'
import { insertLeads } from '../creation/creating.ts'
import { draftOf, readImportContext } from '../creation/drafting.ts'
import { reserveIds } from '../rows.ts'
import type { CreateLead } from '../schema.ts'
import type { Tag } from '../tags/tags.ts'

/** Makes the lead and answers its id. Its assignee is told, and it stands in its history. */
export async function arrive(ctx: Ctx, sent: z.output<typeof CreateLead>, to: Assignee): Promise<number> {
  const [ground, [id]] = await allPipelined(readImportContext(ctx), reserveIds(ctx, 1))
  const lead_id = id!
  await insertLeads(ctx, [{ ...draftOf(ctx, { ...ground, tags: ground.tags.map(undemanding) }, sent, to), id: lead_id }])
  if (to.id !== null) {
    const deed = { reason: null, source: 'webhook', batch_id: null } as const
    await rememberAssignments(ctx, [{ lead_id, from: null, to: to.id }], deed)
    await emitAssigned(ctx, to.id, [lead_id], deed)
  }
  return lead_id
}

/** A default tag that insists on a follow-up is left out: nobody is there who could plan one, and the lead would be lost. */
const undemanding = (tag: Tag): Tag => (tag.behavior === 'force_follow_up' ? { ...tag, is_default: false } : tag)
