/**
 * Retention of click logs (docs/decisions/0023). Clicks have a partition for each month. Clicks of an expired month are first
 * counted per link, and aggregated where necessary, so that counts and analytics stay correct; then the partition is dropped.
 * Every step is a short idempotent transaction: an interrupted run continues, or starts again the next night.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { type Services, writeAsSystem } from '#kernel/context.ts'
import type { Tx } from '#kernel/database/connect.ts'
import { defineJob, type PlatformJob } from '#kernel/jobs/job.ts'
import { sumUp } from './redirects/summing.ts'
import { lockClicks } from './redirects/writing.ts'

/** Number of months that have a partition in advance. */
const MONTHS_AHEAD = 2
const WORKSPACES = 500
/** Links processed, and clicks deleted, in one transaction. */
const LINKS = 100
const CLICKS = 5000
/** Milliseconds after which the job is queued again. */
const SLICE = 60_000

interface Part {
  starts: string
  ends: string
  is_rest: boolean
}

type Progress = z.output<typeof Progress>
const Progress = z.object({
  /** First `count` expired clicks, then `delete` those in partitions with newer ones. */
  phase: z.enum(['count', 'delete']).optional(),
  /** Clicks before this instant are expired; constant during a run. */
  before: z.string().optional(),
  /** Last completed workspace. */
  after: z.int().optional(),
})

export const forgetClicks: PlatformJob<Progress> = defineJob({
  name: 'short-links-forget',
  schedule: '11 2 * * *',
  unique: 'both',
  data: Progress,
  async run(services, { phase = 'count', before = beginningOf(services), after = -1 }, { signal }) {
    await makeMonths(services)
    if (!before) return
    const parts = await partsOf(services)
    const isOld = parts.some(({ is_rest, ends }) => !is_rest && ends <= before)
    const isMixed = !parts.length || parts.some(({ starts, ends }) => starts < before && ends > before)
    if (!isOld && !isMixed) return
    const until = performance.now() + SLICE
    const mayGoOn = () => !signal.aborted && performance.now() < until
    const goOn = async (progress: Progress) => {
      await writeAsSystem(services, (ctx) => services.queue.send(ctx, forgetClicks, progress))
    }
    const work = phase === 'count' ? countIn : deleteIn
    for (let ids = await idsBehind(services, after); ids.length; ids = await idsBehind(services, ids.at(-1)!))
      for (const id of ids) {
        if (!(await work(services, id, before, mayGoOn))) return goOn({ phase, before, after: id - 1 })
        if (!mayGoOn()) return goOn({ phase, before, after: id })
      }
    if (phase === 'delete') return
    await services.database.statement('SELECT app.drop_click_months($1)', [before])
    if (isMixed) await goOn({ phase: 'delete', before })
  },
})

/** Returns the start of the month with the oldest retained day; undefined: unlimited retention. */
function beginningOf({ config, clock }: Services): string | undefined {
  const days = config.KEEP_CLICKS_DAYS
  if (days === 'forever') return undefined
  const oldest = Temporal.Instant.from(clock.now()).toZonedDateTimeISO('UTC').subtract({ days })
  return oldest.with({ day: 1 }).startOfDay().toInstant().toString({ fractionalSecondDigits: 3 })
}

async function makeMonths({ database, clock }: Services) {
  const today = Temporal.PlainDate.from(clock.now().slice(0, 10))
  for (let n = 0; n <= MONTHS_AHEAD; n++)
    await database.statement('SELECT app.add_click_month($1)', [today.with({ day: 1 }).add({ months: n }).toString()])
}

/**
 * Returns the partitions; none where the table is not partitioned, on a cluster that had clicks before. Open bounds sort before
 * or after all instants.
 */
async function partsOf({ database }: Services): Promise<Part[]> {
  const instant = (column: string) =>
    `CASE ${column} WHEN '-infinity' THEN '' WHEN 'infinity' THEN '~' ELSE to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END AS ${column}`
  const parts = await database.statement<Part>(
    `SELECT ${instant('starts')}, ${instant('ends')}, is_rest FROM app.click_parts()`,
    [],
  )
  if (!parts.length) return []
  const rest = await database.statement('SELECT 1 AS one FROM partitions.short_link_clicks_rest LIMIT 1', [])
  return parts.filter(({ is_rest }) => !is_rest || rest.length)
}

/** Returns workspaces in the order of their ids, including archived ones and those in the trash. */
const idsBehind = ({ database }: Services, after: number) =>
  database.platform('read', async (tx) => {
    const rows = tx.selectFrom('tenants').select('id').where('id', '>', after).orderBy('id').limit(WORKSPACES)
    return (await rows.execute()).map(({ id }) => id)
  })

/** Counts expired clicks of a workspace's links; false when it had to stop early. */
async function countIn({ database }: Services, tenantId: number, before: string, mayGoOn: () => boolean) {
  for (let after: number | undefined = 0; after !== undefined; ) {
    if (!mayGoOn()) return false
    const from: number = after
    after = await database.workspace(tenantId, 'write', (tx) => countSome(tx, tenantId, before, from))
  }
  return true
}

/** Processes the next links of a workspace. Returns the last one's id, or undefined at the end. */
async function countSome(tx: Tx, tenantId: number, before: string, after: number): Promise<number | undefined> {
  await lockClicks(tx, tenantId)
  const links = await oldestOf(tx, tenantId, after)
  const due = links.filter(({ oldest, clicks_from }) => oldest && oldest < before && (clicks_from ?? '') < before)
  const ids = due.map(({ id }) => id)
  if (ids.length) {
    const { rows: unsummed } = await sql<{ id: number; summed_up_to: number }>`
      select id, summed_up_to from short_links l where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) and exists (
        select from short_link_clicks c
        where c.tenant_id = ${tenantId} and c.link_id = l.id and c.id > l.summed_up_to and c.clicked_at < ${before})
      for no key update`.execute(tx)
    for (const link of unsummed) await sumUp(tx, tenantId, link)
    await sql`
      update short_links l set clicks_from = ${before}, clicks_gone = clicks_gone + old.clicks
      from (
        select c.link_id, count(*) as clicks from short_link_clicks c join short_links k on k.tenant_id = ${tenantId} and k.id = c.link_id
        where c.tenant_id = ${tenantId} and c.link_id = any(${ids}::bigint[]) and c.clicked_at < ${before}
          and c.clicked_at >= coalesce(k.clicks_from, '-infinity') group by c.link_id
      ) old
      where l.tenant_id = ${tenantId} and l.id = old.link_id`.execute(tx)
  }
  return links.length < LINKS ? undefined : links.at(-1)!.id
}

/** Returns the next links with the instant of their oldest click, which has the lowest id. */
async function oldestOf(tx: Tx, tenantId: number, after: number) {
  const { rows } = await sql<{ id: number; clicks_from: string | null; oldest: string | null }>`
    select l.id, l.clicks_from, (
      select c.clicked_at from short_link_clicks c where c.tenant_id = ${tenantId} and c.link_id = l.id order by c.id limit 1
    ) as oldest
    from short_links l where l.tenant_id = ${tenantId} and l.id > ${after} order by l.id limit ${LINKS}`.execute(tx)
  return rows
}

/** Deletes counted clicks in partitions with newer ones; false when it had to stop early. */
async function deleteIn({ database }: Services, tenantId: number, before: string, mayGoOn: () => boolean) {
  for (let after = 0, links = LINKS; links === LINKS; ) {
    const some = await database.workspace(tenantId, 'read', (tx) => oldestOf(tx, tenantId, after))
    for (const { id, oldest, clicks_from } of some)
      for (let deleted = oldest && oldest < before && clicks_from ? CLICKS : 0; deleted === CLICKS; ) {
        if (!mayGoOn()) return false
        deleted = await database.workspace(tenantId, 'write', (tx) => deleteSome(tx, tenantId, id))
      }
    links = some.length
    after = some.at(-1)?.id ?? after
  }
  return true
}

async function deleteSome(tx: Tx, tenantId: number, linkId: number) {
  const { numAffectedRows } = await sql`
    delete from short_link_clicks where tenant_id = ${tenantId} and link_id = ${linkId} and id in (
      select id from short_link_clicks where tenant_id = ${tenantId} and link_id = ${linkId} order by id limit ${CLICKS}
    ) and clicked_at < (select clicks_from from short_links where tenant_id = ${tenantId} and id = ${linkId})`.execute(tx)
  return Number(numAffectedRows)
}
