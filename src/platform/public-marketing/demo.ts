/** Demo: a month of uptime except for half an hour. Recorded days stay. */
import { defineDemo } from '#kernel/demo/parts.ts'

const DAYS = 30
const MINUTES = 24 * 60

export default defineDemo({
  async fillPlatform(ctx) {
    const today = Temporal.PlainDate.from(ctx.now.slice(0, 10))
    const rows = Array.from({ length: DAYS }, (_, n) => ({
      ...{ day: today.subtract({ days: DAYS - n }).toString(), first_minute: 0, last_minute: MINUTES - 1 },
      minutes: n === 12 ? MINUTES - 31 : MINUTES,
    }))
    const { numInsertedOrUpdatedRows } = await ctx.tx
      .insertInto('uptime_days')
      .values(rows)
      .onConflict((conflict) => conflict.column('day').doNothing())
      .executeTakeFirstOrThrow()
    return Number(numInsertedOrUpdatedRows ?? 0)
  },
})
