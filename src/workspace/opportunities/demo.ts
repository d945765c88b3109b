/** Demo opportunities of the last 18 months; most of the old ones are closed. */
import { pickerOf } from '#kernel/demo/calendar.ts'
import { defineDemo } from '#kernel/demo/parts.ts'
import { type Entry, insertStories, recordsOf, rename, trashedAfter } from '#kernel/demo/stories.ts'

const occasions = {
  en: ['Yearly supply', 'First order', 'Larger range', 'Second branch', 'Framework contract', 'Seasonal goods'],
  de: ['Jahreslieferung', 'Erstausstattung', 'Erweitertes Sortiment', 'Zweite Filiale', 'Rahmenvertrag', 'Maschine mit Wartung'],
}

const german = {
  New: 'Neu',
  Qualified: 'Qualifiziert',
  Proposal: 'Angebot',
  Negotiation: 'Verhandlung',
  Won: 'Gewonnen',
  Lost: 'Verloren',
}

export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar, people } = plan
    await rename(ctx, 'opportunity_stages', plan.say<Record<string, string>>({ en: {}, de: german }))
    const stages = await ctx.from('opportunity_stages').select(['id', 'is_won', 'is_lost']).orderBy('sort_order').execute()
    const [over, open] = [
      stages.filter((stage) => stage.is_won || stage.is_lost),
      stages.filter((stage) => !stage.is_won && !stage.is_lost),
    ]
    const companyAt = pickerOf(plan, await recordsOf(ctx, 'companies', 'name'))
    const contacts = Map.groupBy(await recordsOf(ctx, 'contacts', 'company_id'), ({ company_id }) => company_id)
    const count = plan.share(1 / 20, { least: 20, most: 10_000 })
    const stories = Array.from({ length: count }, (_, n) => {
      const day = ((n + random.next()) / count) * calendar.days
      const created: Entry = { type: 'created', at: calendar.instant(day)!, by: random.pick(people).id }
      const stage = random.pick(day < calendar.days - 90 ? over : open)
      const company = companyAt(created.at)
      const row = {
        name: `${random.pick(plan.say(occasions))} ${plan.say({ en: 'for', de: 'für' })} ${company.name}`,
        amount: (Math.round(Math.exp(random.between(11, 16))) / 100).toFixed(2),
        currency: ctx.tenant.currency,
        probability: stage.is_won ? '100' : stage.is_lost ? '0' : String(10 * random.whole(1, 9)),
        expected_close_date: calendar.date(day, random.whole(30, 180)),
        stage_id: stage.id,
        company_id: company.id,
        contact_id: contacts.get(company.id)?.[0]?.id ?? null,
        assigned_to: random.pick(people).id,
      }
      return { row, timeline: n % 17 === 16 ? [created, trashedAfter(plan, created)] : [created] }
    })
    await insertStories(ctx, 'opportunities', stories)
    return count
  },
})
