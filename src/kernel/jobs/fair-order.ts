/**
 * Turns in a queue, by workspace (decision 0016). A job's priority is the instant at which its turn comes: now for a workspace that
 * has nothing waiting in that queue, an hour after its last waiting one for each further job. So a workspace's backlog stands behind
 * the first jobs of all others, and is overtaken for hours, not for ever.
 */
import type { Db } from 'pg-boss'
import type { Database } from '../database/connect.ts'
import type { Message } from './job.ts'

/** How much later a workspace's next waiting job has its turn. In seconds. */
const STEP = 3600
/** Priorities are 32 bits: instants are counted from here, in seconds. */
const EPOCH = Date.UTC(2026, 0) / 1000
const LATEST = 2 ** 31 - 1

interface Row {
  data: Message
  startAfter?: number
}

/** Gives jobs the priorities by which pg-boss takes them: the lower the turn, the higher. Asks for each workspace once, by an index. */
export async function assignTurns<R extends Row>(db: Db, queue: string, rows: R[]): Promise<(R & { priority: number })[]> {
  const workspaces = [...new Set(rows.flatMap(({ data }) => data.tenant_id ?? []))]
  const last = workspaces.length ? await lastTurns(db, queue, workspaces) : new Map<number, number>()
  const now = Math.floor(Date.now() / 1000) - EPOCH
  return rows.map((row) => {
    const { tenant_id } = row.data
    const due = now + (row.startAfter ?? 0)
    if (tenant_id === undefined) return { ...row, priority: -due }
    const before = last.get(tenant_id)
    const turn = before === undefined ? due : Math.min(LATEST, Math.max(due, before + STEP))
    last.set(tenant_id, turn)
    return { ...row, priority: -turn }
  })
}

/** Of one workspace by one look into the index; of many by one pass over what waits in that queue, whatever the planner knows of it. */
async function lastTurns(db: Db, queue: string, workspaces: number[]): Promise<Map<number, number>> {
  const waiting = `pgboss.job WHERE name = $1 AND state < 'active'`
  const { rows } =
    workspaces.length === 1
      ? await db.executeSql(
          `SELECT $2::int AS id, -priority AS turn FROM ${waiting} AND data ->> 'tenant_id' = $2::text ORDER BY priority LIMIT 1`,
          [queue, String(workspaces[0])],
        )
      : await db.executeSql(
          `SELECT w.id::int, -min(j.priority) AS turn FROM (SELECT data ->> 'tenant_id' AS id, priority FROM ${waiting}) j
           JOIN unnest($2::text[]) AS w (id) ON w.id = j.id GROUP BY w.id`,
          [queue, workspaces.map(String)],
        )
  return new Map(rows.map(({ id, turn }) => [id, turn]))
}

/** The index by which a workspace's last waiting job is found, on pg-boss's own table. */
export async function indexTurns(database: Database) {
  await database.statement(
    `DO $$ BEGIN
       IF to_regclass('pgboss.job_turns') IS NULL THEN
         PERFORM pg_advisory_xact_lock(hashtext('pgboss.job_turns'));
         CREATE INDEX IF NOT EXISTS job_turns ON pgboss.job (name, (data ->> 'tenant_id'), priority) WHERE state < 'active';
       END IF;
     END $$`,
    [],
  )
}
