/** Job that retrieves a notified lead and creates it once, with retries while the platform fails; and the log of outcomes. */
import { z } from 'zod'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { HttpError, notFound } from '#kernel/errors.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { filter, listing, workspaceTable } from '#kernel/records/listing.ts'
import { addNote } from '#kernel/records/notes.ts'
import { view } from '#kernel/records/view.ts'
import { email as address, choice, instant, refId } from '#kernel/values/fields.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { assigneeOfNew } from '../assignment.ts'
import { leads } from '../leads.ts'
import { arrive } from '../saving.ts'
import { CreateLead } from '../schema.ts'
import { platformOf } from './ad-platform.ts'
import { opened, readConnection } from './connection.ts'

const OUTCOMES = ['pending', 'accepted', 'failed'] as const
const DAYS = 90

export const LeadAdDelivery = view('lead_ad_deliveries', 'LeadAdDelivery', {
  id: z.int(),
  leadgen_id: z.string().meta({ description: 'What the ad platform calls the lead.', examples: ['1029384756'] }),
  page_id: z.string().meta({ description: 'What it calls the page.', examples: ['5647382910'] }),
  outcome: choice(OUTCOMES).describe('What became of it.'),
  reason: z.string().nullable(),
  lead_id: refId('lead').nullable(),
  created_at: instant(),
  updated_at: instant(),
})

export const adDeliveryList = listing(workspaceTable('lead_ad_deliveries', LeadAdDelivery), {
  sorts: ['created_at', 'updated_at'],
  filters: { outcome: filter.oneOf('outcome', OUTCOMES) },
  hardDeleted: true,
})

export const sweepAdDeliveries = (ctx: Ctx) =>
  ctx
    .deleteFrom('lead_ad_deliveries')
    .where('created_at', '<', plusSeconds(ctx.now, -DAYS * 24 * 3600))
    .execute()

// Maps the answers of a lead form to a lead. No answer may lose the lead: values that fit no field go into the note.

/** The platform's field names; the first one answered counts. */
const named = {
  full: ['full_name', 'name'],
  email: ['email', 'work_email'],
  phone: ['phone_number', 'phone', 'work_phone_number'],
  company: ['company_name', 'company'],
  job_title: ['job_title'],
} as const

const MAX_NOTE = 10_000

/** `note` holds the answers that no field of a lead can store. */
function leadOf(
  answers: Map<string, string>,
  defaults: { source: string; stage_id: number | undefined },
): { lead: z.output<typeof CreateLead>; note: string | undefined } {
  const left = new Map([...answers].map(([name, answer]) => [storable(name), storable(answer).trim()]))
  const take = (names: readonly string[], fits: (answer: string) => boolean) => {
    const name = names.find((one) => fits(left.get(one) ?? ''))
    const answer = name === undefined ? null : left.get(name)!
    if (name !== undefined) left.delete(name)
    return answer
  }
  const upTo = (most: number) => (answer: string) => answer !== '' && answer.length <= most

  const whole = take(named.full, upTo(255))
  const parts = [take(['first_name'], upTo(120)), take(['last_name'], upTo(120))].filter((part) => part !== null)
  const email = take(named.email, (answer) => address().safeParse(answer).success)
  const phone = take(named.phone, upTo(50))
  const company = take(named.company, upTo(255))
  const job_title = take(named.job_title, upTo(255))
  const name = whole ?? (parts.join(' ') || company || email || phone || 'Lead of an ad')
  const lead = CreateLead.parse({ name, lead_type: 'direct', email, phone, company, job_title, ...defaults })
  return { lead, note: noteOf(left) }
}

/** Breaks mentions, so that a stranger can't notify users. */
function noteOf(left: Map<string, string>) {
  const lines = [...left].filter(([, answer]) => answer).map(([name, answer]) => `${name}: ${answer}`)
  return lines.length ? lines.join('\n').replaceAll('@[', '@ [').slice(0, MAX_NOTE).toWellFormed() : undefined
}

const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()

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

/** Lock: a concurrent job waits here, then finds the lead created. */
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

const deliveryOf = (ctx: Ctx, { delivery_id }: Data) => ctx.from('lead_ad_deliveries').selectAll().where('id', '=', delivery_id)

async function settle(
  ctx: Ctx,
  { delivery_id }: Data,
  result: { outcome: 'accepted'; lead_id: number } | { outcome: 'failed'; reason: string },
) {
  await ctx
    .update('lead_ad_deliveries')
    .set({ ...result, updated_at: ctx.now })
    .where('id', '=', delivery_id)
    .where('outcome', '=', 'pending')
    .execute()
}
