import { defineDemo, insertRecords } from '#kernel/modules/demo.ts'

const places = [
  { name: 'Main warehouse', code: 'MAIN', is_default: true },
  { name: 'Harbour depot', code: 'HARB', is_default: false },
  { name: 'Cold store', code: 'COLD', is_default: false },
]

export default defineDemo({
  async fill(ctx, { faker, calendar, people }) {
    const at = calendar.instant(0)!
    const rows = places.map((place) => ({
      ...place,
      address: `${faker.location.streetAddress()}, Seattle, WA`,
      created_by: people[0]!.id,
      created_at: at,
      updated_at: at,
    }))
    await insertRecords(ctx, 'warehouses', rows)
    return rows.length
  },
})
