import { sql } from 'kysely'
import { defineDemo } from '#kernel/demo/parts.ts'
import { type Entry, insertStories, takeNumbers, trashedAfter } from '#kernel/demo/stories.ts'
import { offerToCustomers } from '#workspace/acceptance/demo.ts'
import { customersOf } from '#workspace/billing-documents/demo/goods.ts'
import { fillIssued } from '#workspace/issued-documents/demo.ts'
import type { ContractRow } from './contracts.ts'
import { acceptableContract } from './moving.ts'

const subjects = {
  en: [
    'Yearly supply of produce',
    'Supply of the canteen',
    'Storage in the cold store',
    'Delivery every weekday',
    'Seasonal range',
  ],
  de: [
    'Wartung der Siebträgermaschine',
    'Jahreslieferung Kaffee',
    'Leihmaschine mit Abnahme',
    'Kaffee für die Filialen',
    'Schulungen im Jahr',
  ],
}
const body = {
  en: `<h2>Subject</h2><p>The contractor does what is named above, on working days between 8 and 18 o’clock.</p>
<h2>Remuneration</h2><p>The value is due in equal parts at the <strong>end of each month</strong>.</p>
<h2>Termination</h2><p>Either party may terminate with three months’ notice.</p>`,
  de: `<h2>Gegenstand</h2><p>Die Auftragnehmerin leistet das oben Genannte, werktags zwischen 8 und 18 Uhr.</p>
<h2>Vergütung</h2><p>Der Wert ist in gleichen Teilen jeweils <strong>zum Monatsende</strong> fällig.</p>
<h2>Kündigung</h2><p>Beide Seiten können mit einer Frist von drei Monaten kündigen.</p>`,
}

/** Demo contracts of a year each, in the order of their numbers; the newest await their signature, a few were terminated. */
export default defineDemo({
  async fill(ctx, plan) {
    const { random, calendar, people } = plan
    const customerAt = await customersOf(ctx, plan)
    const count = plan.share(1 / 25, { least: 8, most: 4000 })
    const prefix = await ctx.setting('contracts_number_prefix')
    const first = await takeNumbers(ctx, 'contracts', count)
    const today = ctx.today()
    const stories = Array.from({ length: count }, (_, n) => {
      const day = (n / count) * calendar.days
      const created: Entry = { type: 'created', at: calendar.instant(day)!, by: random.pick(people).id }
      const timeline = [created]
      let status = 'draft'
      const moved = (when: number, to: string) => {
        const at = calendar.instant(when)
        if (!at) return false
        timeline.push({ type: 'status_changed', properties: { from: status, to }, at, by: to === 'expired' ? null : created.by })
        status = to
        return true
      }
      const ends_on = calendar.date(day, 365)
      const ended = ends_on < today && calendar.dayOf(`${ends_on}T23:00:00Z`)
      if (moved(day + random.between(0.1, 2), 'sent') && moved(day + random.between(3, 20), 'active')) {
        if (random.happens(0.08)) moved(day + random.between(40, 120), 'terminated')
        else if (ended) moved(ended + 0.1, 'expired')
      }
      if (status === 'draft' && n === count - 1) timeline.push(trashedAfter(plan, created))
      return {
        row: {
          number: `${prefix}${String(first + n).padStart(5, '0')}`,
          title: random.pick(plan.say(subjects)),
          status: status as ContractRow['status'],
          ...customerAt(created.at),
          body: plan.say(body),
          starts_on: calendar.date(day),
          ends_on,
          value: `${random.whole(4, 40) * 300}`,
          currency: ctx.tenant.currency,
          issued_on: status === 'draft' ? null : calendar.date(day),
          assigned_to: random.happens(0.85) ? random.pick(people).id : null,
        },
        timeline,
      }
    })
    await insertStories(ctx, 'contracts', stories)
    await fillIssued(ctx, acceptableContract, sql`status <> 'draft'`)
    await offerToCustomers(ctx, plan, acceptableContract, ['active', 'expired'])
    return count
  },
})
