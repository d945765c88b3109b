/**
 * Statements of schedule.ts for a cluster, each split in several. A cluster can't join workspaces' rows to `tenants`, a table
 * replicated to all nodes, and can't insert rows selected in the same statement.
 */
import { sql } from 'kysely'
import type { BaseCtx } from '../context.ts'
import type { Module } from '../modules/module.ts'
import { LIVE } from '../modules/subscriptions.ts'
import { isOpen } from '../tenancy/session.ts'

/** Time zones with the same local time, and the time up to which a job has been enqueued in them on that day. */
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

/** Returns the next open workspaces that have the module, by ids above `after`. */
export async function openWorkspaces({ tx }: BaseCtx, module: Module, after: number, most: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT m.tenant_id AS id FROM module_subscriptions m JOIN tenants t ON t.id = m.tenant_id
    WHERE m.module_key = ${module.key} AND m.status IN (${sql.join(LIVE.map(sql.lit))}) AND ${isOpen('t')} AND m.tenant_id > ${after}
    ORDER BY m.tenant_id LIMIT ${most}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Returns the next workspaces of these zones. Due are those without a time of their own. */
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

/** Returns the next workspaces whose own time is within a window. Due are those in the window's zones. */
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

/** Claims the day for workspaces that are due, open and have the module. Returns their ids. */
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
