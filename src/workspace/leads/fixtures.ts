/** Leads of the last 18 months, each as far through the pipeline as its age allows. What was won has become a contact. */
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, foundedAt, insertNotes, insertRecords, type Plan, pickerOf } from '#kernel/modules/demo.ts'
import type { Lead } from './leads.ts'
import { insertRows } from './rows.ts'
import { standingIn } from './stages/moving.ts'
import { stagesOf } from './stages/stages.ts'
import { type Tag, tagsOf } from './tags/tags.ts'

const sources = ['Website', 'Referral', 'Trade fair', 'Newsletter', 'Cold call', 'Partner']
const errands = ['Call about the offer', 'Send samples', 'Ask for the budget', 'Arrange a visit', 'Send the price list']
const remarks = ['Wants to decide this quarter.', 'Compares us with two others.', 'Asked for references.', 'Prefers e-mail.']

const priorities = [
  { often: 2, priority: 'low' },
  { often: 6, priority: 'medium' },
  { often: 3, priority: 'high' },
  { often: 1, priority: 'urgent' },
] as const

export default defineDemo({
  async fill(ctx, plan) {
    const count = plan.share(1 / 3, { least: 40, most: 50_000 })
    const drawOne = await drawer(ctx, plan)
    const drawn = Array.from({ length: count }, (_, n) => drawOne(foundedAt(plan, n, count)))
    const ids = await insertRecords(
      ctx,
      'leads',
      drawn.map(({ lead }) => lead),
    )
    const each = <R extends object>(rows: (one: Drawn) => R[]) =>
      drawn.flatMap((one, n) => rows(one).map((row) => ({ ...row, lead_id: ids[n]! })))
    await insertRows(
      ctx,
      'lead_tag_links',
      each(({ tags }) => tags.map(({ id }) => ({ tag_id: id }))),
    )
    await insertRows(
      ctx,
      'lead_follow_ups',
      each(({ followUps }) => followUps),
    )
    await insertRows(
      ctx,
      'lead_assignments',
      each(({ assignments }) => assignments),
    )
    await insertNotes(
      ctx,
      'leads',
      each(({ notes }) => notes).map(({ lead_id, ...note }) => ({ ...note, id: lead_id })),
    )
    return count
  },
})

type Drawn = ReturnType<Awaited<ReturnType<typeof drawer>>>

async function drawer(ctx: Ctx, plan: Plan) {
  const { faker, random, calendar, people } = plan
  const stages = await stagesOf(ctx)
  const [open, won] = [stages.filter((stage) => !stage.is_won), stages.find((stage) => stage.is_won)!]
  const catalogue = await tagsOf(ctx)
  const plain = catalogue.filter(({ system }) => system === null)
  const contacts = await ctx.tx
    .selectFrom('contacts')
    .select(['id', 'name', 'email', 'phone', 'created_at'])
    .where('tenant_id', '=', ctx.tenant.id)
    .orderBy('created_at')
    .execute()
  const contactAt = pickerOf(plan, contacts)

  return (at: string) => {
    const day = calendar.dayOf(at)
    const [owner, creator] = [random.pick(people), random.pick(people)]
    const wonAt = random.happens(0.2) ? calendar.instant(day + random.between(5, 60)) : undefined
    const contact = wonAt ? contactAt(wonAt) : undefined
    const stage = wonAt ? won : random.pick(open)
    const isOver = Boolean(wonAt) || stage.is_lost
    const due = calendar.instant(calendar.days - random.between(0, 1)) ?? at
    const isPlanned = !isOver && random.happens(0.5)
    const lead_type: Lead['lead_type'] = random.happens(0.4) ? 'company' : 'direct'
    const ofType = catalogue.filter(({ system }) => system === lead_type)
    const stamps = { created_by: creator.id, created_at: at, updated_at: at }
    const dueAt = new Date(Date.parse(due) + random.whole(-2, 14) * 86_400_000).toISOString()
    const tags: Tag[] = [...ofType, ...(random.happens(0.4) ? [random.pick(plain)] : [])]
    return {
      lead: {
        name: contact?.name ?? faker.person.fullName(),
        lead_type,
        email: contact ? contact.email : faker.internet.exampleEmail().toLowerCase(),
        phone: contact ? contact.phone : faker.phone.number({ style: 'international' }),
        company: lead_type === 'company' ? faker.company.name() : null,
        job_title: random.happens(0.6) ? faker.person.jobTitle() : null,
        source: random.pick(sources),
        lead_value: random.happens(0.8) ? String(random.whole(5, 500) * 100) : null,
        priority: random.often(priorities).priority,
        status: isOver ? ('closed' as const) : ('active' as const),
        ...standingIn(stage, wonAt ?? at),
        assigned_to: owner.id,
        next_follow_up_at: isPlanned ? dueAt : null,
        converted_at: wonAt ?? null,
        is_stub: wonAt ? !contact : null,
        contact_id: contact?.id ?? null,
        ...stamps,
      },
      tags,
      followUps: isPlanned
        ? [{ title: random.pick(errands), due_at: dueAt, status: 'pending' as const, assigned_to: owner.id, ...stamps }]
        : [],
      assignments:
        owner === creator ? [] : [{ old_user_id: null, new_user_id: owner.id, changed_by_id: creator.id, created_at: at }],
      notes: random.happens(0.3) ? [{ body: random.pick(remarks), at, by: creator.id }] : [],
    }
  }
}
