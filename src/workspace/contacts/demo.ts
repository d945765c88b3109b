/** Demo contacts: people at the companies, and some private customers. */
import { foundedAt, pickerOf } from '#kernel/demo/calendar.ts'
import { addressAt, domainOf } from '#kernel/demo/names.ts'
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertStories, recordsOf, trashedAfter } from '#kernel/demo/stories.ts'

const jobs = {
  en: ['Owner', 'Head chef', 'Purchasing manager', 'Restaurant manager', 'Bar manager', 'Accountant', 'Office manager'],
  de: ['Inhaberin', 'Küchenchef', 'Einkaufsleitung', 'Betriebsleiterin', 'Barchef', 'Buchhaltung', 'Büroleitung'],
}
const remarks = {
  en: [
    'Best reached before lunch.',
    'Prefers e-mail to the telephone.',
    'Knows Dana from the trade fair.',
    'On holiday in August.',
  ],
  de: [
    'Am besten vor dem Mittagsgeschäft anrufen.',
    'Schreibt lieber, als zu telefonieren.',
    'Von der Internorga bekannt.',
    'Im August im Urlaub.',
  ],
}

export default defineDemo({
  async fill(ctx, plan) {
    const { faker, names, random, people } = plan
    const companyAt = pickerOf(plan, await recordsOf(ctx, 'companies', 'name', 'address'))
    const count = plan.share(1 / 6, { least: 40, most: 20_000 })
    const stories = Array.from({ length: count }, (_, n) => {
      const at = foundedAt(plan, n, count)
      const name = names.person()
      const company = random.happens(0.75) ? (companyAt(at) as ReturnType<typeof companyAt> | undefined) : undefined
      const by = random.pick(people).id
      const created = { type: 'created', at, by }
      return {
        row: {
          name,
          email: company ? addressAt(name, domainOf(company.name)) : addressAt(`${name} ${n}`, 'mail.example'),
          phone: faker.phone.number({ style: 'international' }),
          job_title: company ? random.pick(plan.say(jobs)) : null,
          company_id: company?.id ?? null,
          address: company?.address ?? names.address(),
          assigned_to: random.pick(people).id,
        },
        timeline: n % 23 === 22 ? [created, trashedAfter(plan, created)] : [created],
        notes: n % 7 === 3 ? [{ body: random.pick(plan.say(remarks)), at, by }] : [],
      }
    })
    await insertStories(ctx, 'contacts', stories)
    return count
  },
})
