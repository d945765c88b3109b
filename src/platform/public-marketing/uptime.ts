/**
 * Uptime of the last 30 days. A minute counts if, at least once in it, a process answered /readyz over HTTP that it serves and
 * reaches its database. Each process queries the API of its own machine; one row per day holds the count of all processes. Time
 * before the first such minute isn't counted.
 */
import { sql } from 'kysely'
import type { BaseCtx, Services } from '#kernel/context.ts'

const DAYS = 30
const MINUTES_OF_A_DAY = 24 * 60
const SECONDS_BETWEEN = 20
const TIMEOUT_MS = 5_000

/** Checks every 20 seconds until the minute is counted. Returns a function that stops it. */
export function watchUptime(services: Services) {
  let counted = ''
  let looking: Promise<unknown> | undefined
  const look = () => {
    const minute = services.clock.now().slice(0, 16)
    if (looking || minute === counted) return
    looking = countWhenReady(services)
      .then((ready) => ready && (counted = minute))
      .catch((error) => services.log.debug({ err: error }, 'uptime'))
      .finally(() => (looking = undefined))
  }
  const first = setTimeout(look, 1000).unref() // the port is opened after the start
  const timer = setInterval(look, SECONDS_BETWEEN * 1000).unref()
  return async () => {
    clearTimeout(first)
    clearInterval(timer)
    await looking
  }
}

/** Counts the current minute if this machine's API is ready. */
export async function countWhenReady(services: Services) {
  const instant = services.clock.now()
  const ready = await isReady(services)
  if (ready) await countMinute(services, instant)
  return ready
}

/** Returns whether this machine's API is ready. With port 0 its port is unknown. */
async function isReady({ config: { HOST, PORT } }: Services) {
  if (!PORT) return false
  const host = HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST.includes(':') ? `[${HOST}]` : HOST
  const reply = await fetch(`http://${host}:${PORT}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  await reply.body?.cancel()
  return reply.ok
}

/** Counts the minute of an instant once for all processes. Deletes days outside the window except the very first. */
export async function countMinute({ database }: Services, instant: string) {
  const [day, minute] = [instant.slice(0, 10), minuteOf(instant)]
  await database.platform('write', async (tx) => {
    await sql`
      insert into uptime_days (day, first_minute, last_minute, minutes) values (${day}, ${minute}, ${minute}, 1)
      on conflict (day) do update set last_minute = excluded.last_minute, minutes = uptime_days.minutes + 1
      where uptime_days.last_minute < excluded.last_minute`.execute(tx)
    await sql`
      delete from uptime_days where day <= ${day}::date - ${DAYS}::int and day > (select min(day) from uptime_days)`.execute(tx)
  })
}

/**
 * Returns the uptime in percent since the first minute, of the last 30 days (UTC, including today) at most; rounded down to two
 * decimals. The current minute counts as up, because the service is answering.
 */
export async function uptimePercent(ctx: BaseCtx): Promise<number> {
  const days = await ctx.tx.selectFrom('uptime_days').selectAll().orderBy('day').execute()
  const today = dayNumber(ctx.now)
  const now = today * MINUTES_OF_A_DAY + minuteOf(ctx.now)
  const [oldest] = days
  const first = oldest ? dayNumber(oldest.day) * MINUTES_OF_A_DAY + oldest.first_minute : now
  const begin = Math.max(first, (today - DAYS + 1) * MINUTES_OF_A_DAY)
  const window = days.filter(({ day }) => dayNumber(day) > today - DAYS)
  const last = window.at(-1)
  const isCounted = last && dayNumber(last.day) === today && last.last_minute >= minuteOf(ctx.now)
  const up = window.reduce((sum, { minutes }) => sum + minutes, isCounted ? 0 : 1)
  return Math.min(100, Math.floor((up / (Math.max(now - begin, 0) + 1)) * 10_000) / 100)
}

const minuteOf = (instant: string) => Number(instant.slice(11, 13)) * 60 + Number(instant.slice(14, 16))
const dayNumber = (day: string) => Math.floor(Date.parse(`${day.slice(0, 10)}T00:00:00Z`) / (MINUTES_OF_A_DAY * 60_000))
