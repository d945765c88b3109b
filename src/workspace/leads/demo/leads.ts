/** Leads of the last 18 months, each as far through the pipeline as its age allows. Won leads have become contacts. */
import type { Ctx } from '#kernel/context.ts'
import { pickerOf } from '#kernel/demo/calendar.ts'
import { addressAt, domainOf } from '#kernel/demo/names.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { type Entry, insertStories, recordsOf, rename, trashedAfter } from '#kernel/demo/stories.ts'
import { insertAll, insertRows } from '#kernel/records/many-rows.ts'
import type { Lead } from '../leads.ts'
import { standingIn } from '../pipeline.ts'
import { stagesOf } from '../stages.ts'
import { type Tag, tagsOf } from '../tags.ts'
import { makeEndpoints, makeImports, makeSocialAds } from './arrivals.ts'

const sources = {
  en: ['Website', 'Referral', 'Trade fair', 'Newsletter', 'Cold call', 'Partner'],
  de: ['Website', 'Empfehlung', 'Messe', 'Rundbrief', 'Telefonakquise', 'Partner'],
}
const errands = {
  en: ['Call about the offer', 'Send samples', 'Ask for the budget', 'Arrange a visit', 'Send the price list'],
  de: ['Wegen des Angebots anrufen', 'Proben schicken', 'Nach dem Budget fragen', 'Besuch vereinbaren', 'Preisliste schicken'],
}
const remarks = {
  en: ['Wants to decide this quarter.', 'Compares us with two others.', 'Asked for references.', 'Prefers e-mail.'],
  de: ['Möchte bis Quartalsende entscheiden.', 'Vergleicht uns mit zwei anderen.', 'Fragt nach Referenzen.', 'Bevorzugt E-Mail.'],
}
const jobs = {
  en: ['Owner', 'Head chef', 'Purchasing manager', 'Restaurant manager', 'Bar manager', 'Operations'],
  de: ['Inhaber', 'Küchenchefin', 'Einkauf', 'Betriebsleitung', 'Barchefin', 'Büroleitung'],
}
const firms = {
  en: ['Bistro', 'Grill', 'Bakery', 'Catering', 'Deli', 'Inn', 'Food Truck'],
  de: ['Café', 'Konditorei', 'Feinkost', 'Hotel', 'Agentur', 'Bistro'],
}
const german = {
  stages: {
    New: 'Neu',
    Contacted: 'Kontaktiert',
    Qualified: 'Qualifiziert',
    Proposal: 'Angebot',
    Negotiation: 'Verhandlung',
    Won: 'Gewonnen',
    Lost: 'Verloren',
  },
  tags: { Hot: 'Heiß', Cold: 'Kalt', 'Call back': 'Rückruf', Appointment: 'Termin', Duplicate: 'Dublette' },
}

const priorities = [
  { often: 2, priority: 'low' },
  { often: 6, priority: 'medium' },
  { often: 3, priority: 'high' },
  { often: 1, priority: 'urgent' },
] as const

export default defineDemo({
  async fill(ctx, plan) {
    const count = plan.share(1 / 3, { least: 40, most: 50_000 })
    const names = plan.say({ en: { stages: {}, tags: {} }, de: german })
    await rename(ctx, 'lead_stages', names.stages)
    await rename(ctx, 'lead_tags', names.tags)
    const drawOne = await drawer(ctx, plan)
    const drawn = Array.from({ length: count }, (_, n) =>
      drawOne(plan.calendar.instant(((n + plan.random.next()) / count) * plan.calendar.days)!, n),
    )
    const ids = await insertStories(ctx, 'leads', drawn)
    const each = <R extends object>(rows: (one: Drawn) => R[]) =>
      drawn.flatMap((one, n) => rows(one).map((row) => ({ ...row, lead_id: ids[n]! })))
    const links = each(({ tags }) => tags.map(({ id }) => ({ tag_id: id })))
    await insertAll(ctx, 'lead_tag_links', links)
    const followUps = each(({ followUps }) => followUps)
    await insertRows(ctx, 'lead_follow_ups', followUps)
    const assignments = each(({ assignments }) => assignments)
    await insertRows(ctx, 'lead_assignments', assignments)
    await makeEndpoints(ctx, plan)
    await makeImports(ctx, plan)
    await makeSocialAds(ctx, plan)
    return count
  },
})

type Drawn = ReturnType<Awaited<ReturnType<typeof drawer>>>

async function drawer(ctx: Ctx, plan: Plan) {
  const { faker, names, random, calendar, people } = plan
  const stages = await stagesOf(ctx)
  const [open, won] = [stages.filter((stage) => !stage.is_won), stages.find((stage) => stage.is_won)!]
  const first = stages[0]!
  const catalogue = await tagsOf(ctx)
  const plain = catalogue.filter(({ system }) => system === null)
  const contacts = await recordsOf(ctx, 'contacts', 'name', 'email', 'phone', 'company_id')
  const companies = new Map((await recordsOf(ctx, 'companies', 'name')).map(({ id, name }) => [id, name]))
  const opportunities = new Map((await recordsOf(ctx, 'opportunities', 'contact_id')).map((one) => [one.contact_id, one.id]))
  const contactAt = pickerOf(plan, contacts)

  return (at: string, n: number) => {
    const day = calendar.dayOf(at)
    const [owner, creator] = [random.pick(people), random.pick(people)]
    const wonAt = random.happens(0.2) ? calendar.instant(day + random.between(5, 60)) : undefined
    const contact = wonAt ? (contactAt(wonAt) as ReturnType<typeof contactAt> | undefined) : undefined
    const company_id = contact?.company_id ?? null
    const opportunity_id = (contact && opportunities.get(contact.id)) ?? null
    const stage = wonAt ? won : random.pick(open)
    const movedAt = wonAt ?? calendar.instant(day + random.between(0.5, 15))
    const isOver = Boolean(wonAt) || stage.is_lost
    const isPlanned = !isOver && n % 10 !== 9 && random.happens(0.5)
    const dueAt = dueOf(plan)
    const lead_type: Lead['lead_type'] = company_id || random.happens(0.4) ? 'company' : 'direct'
    const ofType = catalogue.filter(({ system }) => system === lead_type)
    const name = contact?.name ?? names.person()
    const firm = (company_id && companies.get(company_id)) || `${names.surname()} ${random.pick(plan.say(firms))}`
    const tags: Tag[] = [...ofType, ...(random.happens(0.4) ? [random.pick(plain)] : [])]
    const title = random.pick(plan.say(errands))
    const timeline: Entry[] = [{ type: 'created', at, by: creator.id }]
    const by = owner.id
    const stageNow = movedAt ? stage : first
    if (stageNow !== first) {
      const moved = { from: first.name, to: stageNow.name, from_id: first.id, to_id: stageNow.id }
      timeline.push({ type: 'stage_changed', properties: moved, at: movedAt!, by })
    }
    if (wonAt)
      timeline.push({
        type: 'converted',
        properties: { contact_id: contact?.id ?? null, company_id, opportunity_id },
        at: wonAt,
        by,
      })
    const isClosed = Boolean(wonAt) || stageNow.is_lost
    if (isClosed) timeline.push({ type: 'status_changed', properties: { from: 'active', to: 'closed' }, at: movedAt!, by })
    else if (n % 10 === 9) timeline.push(trashedAfter(plan, timeline.at(-1)!))
    const stamps = { created_by: creator.id, created_at: at, updated_at: at }
    return {
      row: {
        name,
        lead_type,
        email: contact ? contact.email : addressAt(name, lead_type === 'company' ? domainOf(firm) : 'mail.example'),
        phone: contact ? contact.phone : faker.phone.number({ style: 'international' }),
        company: lead_type === 'company' ? firm : null,
        job_title: lead_type === 'company' ? random.pick(plan.say(jobs)) : null,
        source: random.pick(plan.say(sources)),
        lead_value: random.happens(0.8) ? String(random.whole(5, 500) * 100) : null,
        priority: random.often(priorities).priority,
        status: isClosed ? ('closed' as const) : ('active' as const),
        ...standingIn(stageNow, wonAt ?? at),
        assigned_to: owner.id,
        next_follow_up_at: isPlanned ? dueAt : null,
        converted_at: wonAt ?? null,
        is_stub: wonAt ? !contact : null,
        contact_id: contact?.id ?? null,
        company_id: wonAt ? company_id : null,
        opportunity_id: wonAt ? opportunity_id : null,
      },
      timeline,
      notes: random.happens(0.3) ? [{ body: random.pick(plan.say(remarks)), at, by: creator.id }] : [],
      tags,
      followUps: [
        ...(isPlanned
          ? [{ title, due_at: dueAt, status: 'pending' as const, completed_at: null, assigned_to: by, ...stamps }]
          : []),
        ...(isOver && movedAt
          ? [{ title, due_at: movedAt, status: 'completed' as const, completed_at: movedAt, assigned_to: by, ...stamps }]
          : []),
      ],
      assignments:
        owner === creator ? [] : [{ old_user_id: null, new_user_id: owner.id, changed_by_id: creator.id, created_at: at }],
    }
  }
}

/** Returns a due date from two days ago to two weeks ahead. */
const dueOf = ({ random, calendar }: Plan) =>
  new Date(
    Date.parse(calendar.instant(calendar.days - random.between(0.001, 1))!) + random.whole(-2, 14) * 86_400_000,
  ).toISOString()
