/**
 * Deletes expired data every night: audit logs, logged mails, timelines, idempotent replies. Works workspace by workspace in
 * batches, each in a transaction, so that a workspace with millions of rows delays no one. An interrupted run continues at its
 * workspace, or the next night.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { type PlatformCtx, type Services, writeAsSystem } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { repliesKept } from '../http/idempotency.ts'
import { defineJob, type PlatformJob } from '../jobs/job.ts'
import { DAY, plusSeconds } from '../values/time.ts'

/** Maximum number of rows of a table deleted in one transaction. */
const BATCH = 2000
const WORKSPACES = 500
/** Time after which the job goes to the end of its queue, in milliseconds. */
const SLICE = 60_000

const days = (kept: number | 'forever') => (kept === 'forever' ? undefined : kept * DAY)

/**
 * Tables with their retention. `order` sorts a workspace's rows from the oldest: the id where no index has the time, because ids
 * ascend with it. `seconds` is the retention time; undefined means for good.
 */
const tables: { table: string; key: string; order: string; seconds(config: Config): number | undefined }[] = [
  { table: 'audit_logs', key: 'id', order: 'created_at', seconds: (config) => days(config.KEEP_AUDIT_LOG_DAYS) },
  { table: 'activities', key: 'id', order: 'id', seconds: (config) => days(config.KEEP_ACTIVITIES_DAYS) },
  // Attachments and events are deleted with their mail.
  { table: 'email_logs', key: 'id', order: 'id', seconds: (config) => days(config.KEEP_MAIL_LOG_DAYS) },
  { table: 'idempotency_keys', key: 'key_hash', order: 'created_at', seconds: (config) => repliesKept({ config }) },
]

/** Job that deletes expired data. `after` is the workspace after which it continues. */
export const retention: PlatformJob<{ after?: number | undefined }> = defineJob({
  name: 'retention',
  schedule: '23 2 * * *',
  unique: 'both',
  data: z.object({ after: z.int().optional() }),
  async run(services, { after = -1 }, { signal }) {
    const until = performance.now() + SLICE
    const mayGoOn = () => !signal.aborted && performance.now() < until
    const goOn = async (from: number) => {
      await writeAsSystem(services, (ctx) => services.queue.send(ctx, retention, { after: from }))
    }
    for (let ids = await idsBehind(services, after); ids.length; ids = await idsBehind(services, ids.at(-1)!))
      for (const id of ids) {
        // An interrupted workspace is started again; its deleted rows stay deleted.
        while (await writeAsSystem(services, (ctx) => forgetSome(ctx, id))) if (!mayGoOn()) return goOn(id - 1)
        if (!mayGoOn()) return goOn(id)
      }
  },
})

/** Returns workspaces by id above `after`, including archived and deleted ones; 0 is the platform. */
async function idsBehind({ database }: Services, after: number) {
  const rows = await database.platform('read', (tx) =>
    tx.selectFrom('tenants').select('id').where('id', '>', after).orderBy('id').limit(WORKSPACES).execute(),
  )
  return [...(after < 0 ? [0] : []), ...rows.map(({ id }) => id)]
}

/** Deletes a batch of each table. Returns whether there may be more. */
async function forgetSome({ tx, services, now }: PlatformCtx, tenantId: number) {
  const some = tables.flatMap(({ seconds, ...table }) => {
    const kept = seconds(services.config)
    return kept === undefined ? [] : [{ ...table, before: plusSeconds(now, -kept) }]
  })
  const deleted = await allPipelined(
    ...some.map(({ table, key, order, before }) =>
      sql`
        delete from ${sql.table(table)} where tenant_id = ${tenantId} and ${sql.ref(key)} in (
          select ${sql.ref(key)} from (
            select ${sql.ref(key)}, created_at from ${sql.table(table)} where tenant_id = ${tenantId} order by ${sql.ref(order)} limit ${BATCH}
          ) oldest where created_at < ${before})`.execute(tx),
    ),
  )
  return deleted.some(({ numAffectedRows }) => Number(numAffectedRows) === BATCH)
}
