/**
 * Demo data. Each module fills its own part (`fixtures.ts`) of an empty workspace; the kernel puts the parts in order and gives
 * them people, time and chance. The same seed gives the same data, whichever other modules there are.
 */
import { faker } from '@faker-js/faker/locale/en'
import { type Insertable, sql } from 'kysely'
import { type Ctx, inWorkspace, originOf, type Services, systemSession } from '../context.ts'
import type { DB } from '../database/tables.ts'
import type { Module } from './load.ts'

export interface DemoPart {
  /** Modules whose part comes first, besides those that the manifest requires and uses (unless they in turn come after this one). */
  after?: string[]
  /** Fills the workspace and tells how many records that made. */
  fill(ctx: Ctx, plan: Plan): Promise<number>
}

export const defineDemo = (part: DemoPart) => part

export interface Plan {
  /** Purchase orders; everything else is in proportion. */
  records: number
  /** A share of `records`, within bounds. */
  share(part: number, bounds: { least: number; most: number }): number
  /** For pools of words; too slow to be asked for each of 100,000 rows. */
  faker: typeof faker
  random: Random
  calendar: Calendar
  /** Who works in the workspace. */
  people: { id: number; name: string }[]
  /** How much of this part is done, 0 to 1. */
  progress(done: number): void
}

export interface Progress {
  module: Module
  done: number
  /** Records made, once the part is filled. */
  made?: number
}

/** Fills a workspace, each part in a transaction of its own. */
export async function fillDemo(
  services: Services,
  tenantId: number,
  options: { records: number; seed: number; report?: (progress: Progress) => void },
) {
  const session = await systemSession(services, tenantId)
  const installed = (await services.modules.demos()).filter(({ module: { core, key } }) => core || session.modules.has(key))
  const calendar = calendarOf(session.tenant.timezone, services.clock.now())
  for (const { module, demo } of inOrder(installed)) {
    const tell = (done: number, made?: number) => options.report?.({ module, done, made })
    tell(0)
    const made = await inWorkspace(originOf(services), session, 'write', async (ctx) => {
      const seed = seedOf(`${options.seed} ${module.key}`)
      faker.seed(seed)
      const people = await ctx.tx
        .selectFrom('users')
        .select(['id', 'name'])
        .where('tenant_id', '=', tenantId)
        .where('suspended_at', 'is', null)
        .orderBy('id')
        .execute()
      const { records } = options
      const share: Plan['share'] = (part, { least, most }) => Math.min(most, Math.max(least, Math.round(records * part)))
      const filled = await demo.fill(ctx, { records, share, faker, random: randomFrom(seed), calendar, people, progress: tell })
      await sumTallies(ctx)
      return filled
    })
    tell(1, made)
    await services.database.statement('VACUUM (ANALYZE)', []) // later parts, and the service, shall plan with what is there
  }
}

/** Every statement has left its differences in the tallies. The service sums them up by and by; after so many, it is done at once. */
const sumTallies = (ctx: Ctx) =>
  sql`select app.sum_tallies(kind) from (select distinct kind from record_tallies where tenant_id = ${ctx.tenant.id}) k`.execute(
    ctx.tx,
  )

type Part = { module: Module; demo: DemoPart }

/** The core first, then each part behind those that it builds on. */
export function inOrder(parts: Part[]): Part[] {
  const ordered = new Set<Part>()
  const comesBefore = (first: Part, part: Part) =>
    part.demo.after?.includes(first.module.key) ||
    part.module.requires?.includes(first.module.key) ||
    (part.module.uses?.includes(first.module.key) && !first.demo.after?.includes(part.module.key))
  const add = (part: Part, behind: Part[]) => {
    if (behind.includes(part)) throw new Error(`The demo of ${part.module.key} comes after itself`)
    for (const first of parts) if (comesBefore(first, part)) add(first, [...behind, part])
    ordered.add(part)
  }
  for (const part of parts) if (part.module.core) add(part, [])
  for (const part of parts) add(part, [])
  return [...ordered]
}

export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** A whole number, both bounds included. */
  whole(least: number, most: number): number
  between(least: number, most: number): number
  pick<T>(from: readonly T[]): T
  /** Picks by weight. */
  often<T extends { often: number }>(from: readonly T[]): T
  happens(probability: number): boolean
}

/** Mulberry32: small, quick, and good enough for made-up data. */
function randomFrom(seed: number): Random {
  const next = () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    between: (least, most) => least + next() * (most - least),
    pick: (from) => from[Math.floor(next() * from.length)]!,
    often(from) {
      let left = next() * from.reduce((sum, { often }) => sum + often, 0)
      return from.find(({ often }) => (left -= often) < 0) ?? from[0]!
    },
    happens: (probability) => next() < probability,
  }
}

const seedOf = (text: string) =>
  [...text].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5)

/** The working hours of the last 18 months, counted in working days: 0 is the first morning, `days` is now. */
export interface Calendar {
  days: number
  /** The instant of a working day, 12.5 being the middle of the thirteenth; undefined when that is still to come. */
  instant(day: number): string | undefined
  /** The working day of an instant. */
  dayOf(instant: string): number
  /** The calendar date of a working day, plus so many days of any kind. */
  date(day: number, plus?: number): string
}

const MONTHS = 18
const WORKING_HOURS = 10 * 3600_000
const DAY = 24 * 3600_000

export function calendarOf(timezone: string, now: string): Calendar {
  const today = Temporal.Instant.from(now).toZonedDateTimeISO(timezone).toPlainDate()
  const dates: string[] = []
  const mornings: number[] = []
  for (
    let date = today.subtract({ months: MONTHS });
    Temporal.PlainDate.compare(date, today) <= 0;
    date = date.add({ days: 1 })
  ) {
    if (date.dayOfWeek > 5) continue
    dates.push(date.toString())
    mornings.push(date.toZonedDateTime({ timeZone: timezone, plainTime: '08:00' }).epochMilliseconds)
  }
  const dayOf = (moment: number) => {
    const next = mornings.findIndex((morning) => morning > moment)
    const day = (next < 0 ? mornings.length : next) - 1
    return day + Math.min(Math.max((moment - mornings[day]!) / WORKING_HOURS, 0), 0.9999)
  }
  const days = dayOf(Date.parse(now))
  return {
    days,
    dayOf: (instant) => dayOf(Date.parse(instant)),
    instant: (day) => (day < days ? new Date(mornings[Math.floor(day)]! + (day % 1) * WORKING_HOURS).toISOString() : undefined),
    date: (day, plus = 0) => new Date(Date.parse(dates[Math.floor(day)]!) + plus * DAY).toISOString().slice(0, 10),
  }
}

/** When the n-th of so many came into being, oldest first: most in the first days, the rest little by little. */
export function foundedAt({ calendar }: Plan, n: number, count: number) {
  const share = n / count
  return calendar.instant(share < 0.6 ? share : 1 + ((share - 0.6) / 0.4) * (calendar.days - 1) * 0.8)!
}

/** Answers, for one instant after the other, something that was there by then; what came early is picked more often. */
export function pickerOf<T extends { created_at: string }>({ random }: Plan, from: readonly T[]) {
  let there = 0
  return (instant: string): T => {
    while (there < from.length && from[there]!.created_at <= instant) there++
    return from[Math.floor(random.next() ** 1.5 * there)]!
  }
}

type Table = { [T in keyof DB]: DB[T] extends { tenant_id: unknown } ? T : never }[keyof DB]
type New<T extends Table> = Omit<Insertable<DB[T]>, 'tenant_id'>

const CHUNK = 5000

/** Inserts rows of the same columns, 5,000 a statement, and answers their ids in the same order. The table gives the types. */
export async function insertRows<T extends Table>(ctx: Ctx, table: T, rows: New<T>[]): Promise<number[]> {
  const columns = Object.keys(rows[0] ?? {})
  const chunks = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, n) => rows.slice(n * CHUNK, (n + 1) * CHUNK))
  const inserted = chunks.map((chunk) =>
    sql<{ id: number }>`
      insert into ${sql.table(table)} (tenant_id, ${sql.join(columns.map((column) => sql.ref(column)))})
      select ${ctx.tenant.id}::bigint, ${sql.join(columns.map((column) => sql.ref(`given.${column}`)))}
      from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(chunk)}::json) given
      returning id`.execute(ctx.tx),
  )
  return (await Promise.all(inserted)).flatMap((result) => result.rows.map(({ id }) => id))
}

/** Inserts records, each with the beginning of its timeline. */
export async function insertRecords<T extends Table>(
  ctx: Ctx,
  table: T,
  rows: (New<T> & { created_at: string; created_by: number | null })[],
) {
  const ids = await insertRows(ctx, table, rows)
  const created = rows.map(({ created_at, created_by }, n) => ({ id: ids[n]!, type: 'created', at: created_at, by: created_by }))
  await insertTimeline(ctx, table, created)
  return ids
}

/** An entry of a record's timeline. */
export interface Entry {
  type: string
  properties?: object
  at: string
  by: number | null
}

export async function insertTimeline(ctx: Ctx, subject_type: Table, entries: (Entry & { id: number })[]) {
  const rows = entries.map(({ id, type, properties = {}, at, by }) => ({
    ...{ subject_type, subject_id: id, type, properties: properties as {}, actor_id: by, created_at: at },
  }))
  await insertRows(ctx, 'activities', rows)
}

/** Notes on records, each told in the timeline. */
export async function insertNotes(ctx: Ctx, subject_type: Table, notes: { id: number; body: string; at: string; by: number }[]) {
  const rows = notes.map(({ id, body, at, by }) => ({ subject_type, subject_id: id, body, created_by: by, created_at: at }))
  const ids = await insertRows(ctx, 'notes', rows)
  const told = notes.map(({ id, at, by }, n) => ({ id, type: 'note_added', properties: { note_id: ids[n]! }, at, by }))
  await insertTimeline(ctx, subject_type, told)
}

/** The first of so many numbers in a row, taken as `nextNumber` takes one: what is created next goes on from there. */
export async function takeNumbers(ctx: Ctx, kind: string, count: number): Promise<number> {
  const { last } = await ctx.tx
    .insertInto('number_counters')
    .values({ tenant_id: ctx.tenant.id, kind, last: count })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'kind']).doUpdateSet((eb) => ({ last: eb('number_counters.last', '+', count) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  return last - count + 1
}
