import { defineDemo } from '#kernel/demo/parts.ts'
import { insertStories, trashedAfter } from '#kernel/demo/stories.ts'

const places = {
  en: [
    ['Main warehouse', 'MAIN', '900 Poplar Place South\nSeattle, WA 98144'],
    ['Harbour depot', 'HARB', '2200 Alaskan Way, Pier 66\nSeattle, WA 98121'],
    ['Cold store', 'COLD', '4786 First Avenue South\nSeattle, WA 98134'],
    ['Rented hall', 'HALL', 'Kent, WA 98032'],
  ],
  de: [
    ['Rösterei Ehrenfeld', 'ROEST', 'Körnerstraße 42\n50823 Köln'],
    ['Lager Niehler Hafen', 'HAFEN', 'Stapelkai 9\n50735 Köln'],
    ['Werkstatt', 'WERK', 'Oskar-Jäger-Straße 160\n50825 Köln'],
    ['Garage', 'GARAGE', 'Stammstraße 8\n50823 Köln'],
  ],
}

export default defineDemo({
  async fill(ctx, plan) {
    const created = { type: 'created', at: plan.calendar.instant(0)!, by: plan.people[0]!.id }
    const stories = plan.say(places).map(([name, code, address], n) => ({
      row: { name: name!, code: code!, address: address!, is_default: n === 0 },
      timeline: n === 3 ? [created, trashedAfter(plan, created)] : [created], // closed before anything was stored there
    }))
    await insertStories(ctx, 'warehouses', stories)
    return stories.length
  },
})
