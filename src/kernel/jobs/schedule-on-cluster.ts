/**
 * What schedule.ts asks in one statement, in several: a cluster joins no rows of workspaces to a table that all its machines have, `tenants`, and inserts
 * nothing that a query within the statement has found.
 */
import { sql } from 'kysely'
import type { BaseCtx } from '../context.ts'
import type { Module } from '../modules/module.ts'
import { LIVE } from '../modules/subscriptions.ts'
import { isOpen } from '../tenancy/session.ts'

/** Zones that show the same time, and up to when a job has been enqueued there on that day. */
export interface Group {
  day: string
  since: string
  time: string
  zones: string[]
}

interface Candidate {
  id: number
  day: string
  is_due: boolean
}

/** The next open workspaces behind `after` that have the module, in the order of their ids. */
export async function openWorkspaces({ tx }: BaseCtx, module: Module, after: number, most: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT m.tenant_id AS id FROM module_subscriptions m JOIN tenants t ON t.id = m.tenant_id
    WHERE m.module_key = ${module.key} AND m.status IN (${sql.join(LIVE.map(sql.lit))}) AND ${isOpen('t')} AND m.tenant_id > ${after}
    ORDER BY m.tenant_id LIMIT ${most}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** The next workspaces of these zones; due are those that have not set a time of their own. */
export async function withTheUsual(
  { tx }: BaseCtx,
  groups: Group[],
  { after, usual, setting, most }: { after: number; usual: string; setting: string | undefined; most: number },
): Promise<Candidate[]> {
  const { rows } = await sql<{ id: number; day: string; is_younger: boolean }>`
    SELECT t.id, g.day::text, t.created_at AT TIME ZONE t.timezone BETWEEN g.day + ${usual}::time AND g.day + time '24:00' AS is_younger
    FROM json_to_recordset(${JSON.stringify(groups)}) AS g(day date, zones text[]) JOIN tenants t ON t.timezone = ANY (g.zones)
    WHERE t.id > ${after} ORDER BY t.id LIMIT ${most}`.execute(tx)
  const own = new Set(setting === undefined ? [] : await withSetting(rows.map(({ id }) => id)))
  return rows.map(({ id, day, is_younger }) => ({ id, day, is_due: !is_younger && !own.has(id) }))

  async function withSetting(ids: number[]) {
    const set = tx.selectFrom('workspace_settings').select('tenant_id').where('key', '=', setting!)
    return (await set.where('tenant_id', 'in', ids.length ? ids : [-1]).execute()).map(({ tenant_id }) => tenant_id)
  }
}

/** The next workspaces whose own time is within a window; due are those in its zones. */
export async function withTheirOwn(
  { tx }: BaseCtx,
  groups: Group[],
  { after, setting, most }: { after: number; setting: string; most: number },
): Promise<Candidate[]> {
  const found: (Group & { id: number })[] = []
  for (const group of groups) {
    const { rows } = await sql<{ id: number }>`
      SELECT tenant_id AS id FROM workspace_settings
      WHERE key = ${setting} AND length(value #>> '{}') = 5 AND value #>> '{}' > ${group.since} AND value #>> '{}' <= ${group.time} AND tenant_id > ${after}
      ORDER BY tenant_id LIMIT ${most}`.execute(tx)
    found.push(...rows.map(({ id }) => ({ ...group, id })))
  }
  const next = found.sort((a, b) => a.id - b.id).slice(0, most)
  const ids = next.map(({ id }) => id)
  const tenants = ids.length ? await tx.selectFrom('tenants').select(['id', 'timezone']).where('id', 'in', ids).execute() : []
  const zones = new Map(tenants.map(({ id, timezone }) => [id, timezone]))
  return next.map(({ id, day, zones: those }) => ({ id, day, is_due: those.includes(zones.get(id) ?? '') }))
}

/** Claims the day for those that are due, open and have the module. Gives their ids. */
export async function claimDays(
  { tx }: BaseCtx,
  module: Module | undefined,
  job: string,
  candidates: Candidate[],
): Promise<number[]> {
  const days = new Map(candidates.flatMap(({ id, day, is_due }) => (is_due ? [[id, day]] : [])))
  if (!days.size) return []
  let open = tx
    .selectFrom('tenants as t')
    .select('t.id')
    .where(isOpen('t'))
    .where('t.id', 'in', [...days.keys()])
  if (module && !module.core) {
    const having = tx
      .selectFrom('module_subscriptions')
      .select('tenant_id')
      .where('module_key', '=', module.key)
      .where('status', 'in', LIVE)
    const ids = (await having.where('tenant_id', 'in', [...days.keys()]).execute()).map(({ tenant_id }) => tenant_id)
    open = open.where('t.id', 'in', ids.length ? ids : [-1])
  }
  const rows = (await open.execute()).map(({ id }) => ({ tenant_id: id, job, day: days.get(id)! }))
  if (!rows.length) return []
  const claimed = tx.insertInto('job_days').values(rows)
  return (
    await claimed
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'job'])
          .doUpdateSet((eb) => ({ day: eb.ref('excluded.day') }))
          .whereRef('job_days.day', '<>', 'excluded.day'),
      )
      .returning('tenant_id')
      .execute()
  ).map(({ tenant_id }) => tenant_id)
}
