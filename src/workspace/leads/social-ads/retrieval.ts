/** Retrieving a lead that the platform told of, and making it: in the background, once, tried again while the platform fails. */
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { HttpError, notFound } from '#kernel/errors.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { addNote } from '#kernel/records/notes.ts'
import { assigneeOfNew } from '../assignment/eligible.ts'
import { leads } from '../leads.ts'
import { arrive } from '../webhooks/arriving.ts'
import { leadOf } from './answers.ts'
import { opened, readConnection } from './connection.ts'
import { platformOf } from './provider.ts'

const Data = z.object({ delivery_id: z.int() })
type Data = z.output<typeof Data>

export const retrieval = defineWorkspaceJob({
  name: 'leads-retrieve-ad-lead',
  data: Data,
  concurrency: 4,
  transactions: 'own',
  run: retrieve,
  failed: (ctx, data, error) =>
    settle(ctx, data, { outcome: 'failed', reason: error instanceof HttpError ? error.message : 'The lead could not be made.' }),
})

async function retrieve(steps: WorkspaceSteps, data: Data) {
  const { delivery, page } = await steps.read((ctx) => expected(ctx, data))
  if (delivery?.outcome !== 'pending') return
  if (!page) throw notFound('The page is not connected any more.')
  const answers = await platformOf(steps.services).answersOf(delivery.leadgen_id, page.token)
  await steps.write((ctx) => make(ctx, data, answers))
}

async function expected(ctx: Ctx, data: Data) {
  const delivery = await deliveryOf(ctx, data).executeTakeFirst()
  const { pages } = await readConnection(ctx)
  const stored = pages.find(({ page_id }) => page_id === delivery?.page_id)
  return { delivery, page: stored && opened(ctx, stored) }
}

/** Of two at once the second waits here, and finds it made. */
async function make(ctx: Ctx, data: Data, answers: Map<string, string>) {
  const delivery = await deliveryOf(ctx, data).forUpdate().executeTakeFirst()
  if (delivery?.outcome !== 'pending') return
  const { connection } = await readConnection(ctx)
  const { lead, note } = leadOf(answers, {
    source: connection?.default_source ?? 'Social ads',
    stage_id: connection?.default_stage_id ?? undefined,
  })
  const lead_id = await arrive(ctx, lead, await assigneeOfNew(ctx, undefined))
  if (note) await addNote(ctx, leads, lead_id, note)
  await settle(ctx, data, { outcome: 'accepted', lead_id })
}

const deliveryOf = (ctx: Ctx, { delivery_id }: Data) =>
  ctx.tx.selectFrom('lead_ad_deliveries').selectAll().where('tenant_id', '=', ctx.tenant.id).where('id', '=', delivery_id)

async function settle(
  ctx: Ctx,
  { delivery_id }: Data,
  result: { outcome: 'accepted'; lead_id: number } | { outcome: 'failed'; reason: string },
) {
  await ctx.tx
    .updateTable('lead_ad_deliveries')
    .set({ ...result, updated_at: ctx.now })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', delivery_id)
    .where('outcome', '=', 'pending')
    .execute()
}
