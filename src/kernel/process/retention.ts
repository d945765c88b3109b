/**
 * Takes away every night what is older than the operator has it kept: audit logs, mails of the log, timelines, idempotent replies.
 * Workspace after workspace, in batches that are a transaction each, so that one with millions of rows holds nobody up. What is
 * interrupted is gone on with from its workspace, or the next night.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { type PlatformCtx, type Services, writeAsSystem } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { repliesKept } from '../http/idempotency.ts'
import { defineJob, type PlatformJob } from '../jobs/job.ts'
import { DAY, plusSeconds } from '../values/time.ts'

/** Rows of a table that one transaction deletes. */
const BATCH = 2000
const WORKSPACES = 500
/** In milliseconds; then the job goes to the back of its queue. */
const SLICE = 60_000

const days = (kept: number | 'forever') => (kept === 'forever' ? undefined : kept * DAY)

/**
 * By `order` the oldest rows of a workspace come first: where no index has the time, ids were given in its order. `seconds` is how long a row is kept;
 * undefined: for good.
 */
const tables: { table: string; key: string; order: string; seconds(config: Config): number | undefined }[] = [
  { table: 'audit_logs', key: 'id', order: 'created_at', seconds: (config) => days(config.KEEP_AUDIT_LOG_DAYS) },
  { table: 'activities', key: 'id', order: 'id', seconds: (config) => days(config.KEEP_ACTIVITIES_DAYS) },
  // Attachments and events go with their mail.
  { table: 'email_logs', key: 'id', order: 'id', seconds: (config) => days(config.KEEP_MAIL_LOG_DAYS) },
  { table: 'idempotency_keys', key: 'key_hash', order: 'created_at', seconds: (config) => repliesKept({ config }) },
]

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
        // The one at hand is begun again: what is gone of it is gone.
        while (await writeAsSystem(services, (ctx) => forgetSome(ctx, id))) if (!mayGoOn()) return goOn(id - 1)
        if (!mayGoOn()) return goOn(id)
      }
  },
})

/** Workspaces in the order of their ids, those that are archived or in the trash too; 0 is the platform. */
async function idsBehind({ database }: Services, after: number) {
  const rows = await database.platform('read', (tx) =>
    tx.selectFrom('tenants').select('id').where('id', '>', after).orderBy('id').limit(WORKSPACES).execute(),
  )
  return [...(after < 0 ? [0] : []), ...rows.map(({ id }) => id)]
}

/** Deletes a batch of each table; whether there is more. */
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
