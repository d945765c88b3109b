/** Demo sign-ins of the last weeks. Other entries of the audit log are written by their own modules. */
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertRows } from '#kernel/records/many-rows.ts'

const DAYS = 30

export default defineDemo({
  async fill(ctx, { people, random, calendar }) {
    const today = Math.floor(calendar.days)
    const rows = Array.from({ length: DAYS }, (_, n) => today - DAYS + 1 + n)
      .flatMap((day) => people.slice(0, 12).map(({ id }) => ({ id, at: calendar.instant(day + random.between(0.01, 0.2)) })))
      .flatMap(({ id, at }) => (at && random.happens(0.8) ? [{ actor_id: id, created_at: at }] : []))
      .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
    await insertRows(
      ctx,
      'audit_logs',
      rows.map((row) => ({ ...row, event: 'user_signed_in', actor_type: 'user' as const, properties: {}, ip: '198.51.100.8' })),
    )
    return rows.length
  },
})
