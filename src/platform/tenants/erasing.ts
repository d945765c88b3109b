/**
 * Erases the remains of a workspace that was deleted for good: its files, all rows of all workspace tables, then itself (CEN-25).
 * Each step is a short transaction; an interrupted run is continued.
 */
import { type RawBuilder, sql } from 'kysely'
import { type PlatformCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { oneByOne } from '#kernel/jobs/one-by-one.ts'
import { folderOf, removeFile } from '#kernel/storage/uploads.ts'
import { readDeletion, type Table } from './deletion-order.ts'
import { forget } from './telling.ts'

const ROWS = 500
/** PostgreSQL's error code for exceeding DATABASE_STATEMENT_TIMEOUT. A smaller batch may succeed. */
const TIMED_OUT = '57014'
const FILES = 100
/** Time after which the job goes to the end of its queue, in milliseconds. */
const SLICE = 300_000

/** Sent when a workspace is deleted for good. Runs every hour for the remains of earlier runs. */
export const eraseTenants = defineJob({
  name: 'tenants-erase',
  schedule: '53 * * * *',
  unique: 'both',
  async run(services, _, { signal }) {
    const until = performance.now() + SLICE
    const mayGoOn = () => !signal.aborted && performance.now() < until
    const each = oneByOne(services, 'a workspace could not be erased')
    for (const id of await toErase(services)) {
      const isErased = await each.attempt({ tenant_id: id }, () => erase(services, id, mayGoOn))
      if (isErased === false) {
        await writeAsSystem(services, (ctx) => services.queue.send(ctx, eraseTenants, {}))
        return
      }
    }
    each.end()
  },
})

const toErase = ({ database }: Services) =>
  database.platform('read', async (tx) => {
    const rows = tx.selectFrom('tenants').select('id').where('erasing_since', 'is not', null).orderBy('erasing_since')
    return (await rows.execute()).map(({ id }) => id)
  })

/** Erases a workspace. Returns false if it was interrupted. */
async function erase(services: Services, tenantId: number, mayGoOn: () => boolean) {
  const { loosened, tables } = await services.database.platform('read', readDeletion)
  const inBatches = async (table: Table, change: Change) => {
    let done = 0
    for (let batch: Batch = { rows: 0 }, size = ROWS; mayGoOn(); done += batch.rows)
      try {
        batch = await writeAsSystem(services, (ctx) => changeSome(ctx, tenantId, table, change, size, batch.last))
        if (!batch.rows) return done
      } catch (error) {
        if (size === 1 || (error as { code?: string }).code !== TIMED_OUT) throw error
        size = Math.ceil(size / 10)
        batch = { ...batch, rows: 0 }
      }
    return undefined
  }
  for (const { table, columns } of loosened) if ((await inBatches(table, loosening(columns))) === undefined) return false
  // Triggers write to tables that were already emptied (tallies), so all tables are repeated until nothing is left.
  for (let left = 1; left; ) {
    left = 0
    for (const table of tables) {
      if (table.name === 'stored_files' && !(await removeFiles(services, tenantId, mayGoOn))) return false
      const found = await inBatches(table, deleting)
      if (found === undefined) return false
      left += found
    }
  }
  await writeAsSystem(services, (ctx) => eraseTenant(ctx, tenantId))
  return true
}

interface Batch {
  rows: number
  /** Key of the last row. The next batch starts after it, so that deleted rows aren't scanned again. */
  last?: unknown[]
}

/** Change of a table's rows that meet a condition. */
type Change = (table: string, where: RawBuilder<unknown>) => RawBuilder<unknown>
const deleting: Change = (table, where) => sql`delete from ${sql.table(table)} where ${where}`
const loosening =
  (columns: string[]): Change =>
  (table, where) => {
    const set = columns.map((column) => sql`${sql.ref(column)} = null`)
    return sql`update ${sql.table(table)} set ${sql.join(set)} where ${where}`
  }

/** Changes the next rows of a workspace in a table, by key. */
async function changeSome(
  ctx: PlatformCtx,
  tenantId: number,
  { name, key }: Table,
  change: Change,
  size: number,
  last?: unknown[],
): Promise<Batch> {
  // Foreign key checks scan deleted rows that aren't vacuumed yet. An index scan marks them as dead once it has met them; a
  // bitmap scan visits them all again for every row.
  await sql`set local enable_bitmapscan = off`.execute(ctx.tx)
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const beyond = last ? sql`and (${columns}) > (${sql.join(last)})` : sql``
  const { rows } = await sql<Record<string, unknown>>`
    select ${columns} from ${sql.table(name)} where tenant_id = ${tenantId} ${beyond} order by ${columns} limit ${size}`.execute(
    ctx.tx,
  )
  if (!rows.length) return { rows: 0 }
  const keys = rows.map((row) => key.map((column) => row[column]))
  const upTo = keys.at(-1)!
  const { numAffectedRows } = await change(
    name,
    sql`tenant_id = ${tenantId} ${beyond} and (${columns}) <= (${sql.join(upTo)})`,
  ).execute(ctx.tx)
  return { rows: Number(numAffectedRows), last: upTo }
}

/**
 * Deletes a workspace's files. Returns whether all are gone. They are marked as discarded first, so that the sweep finds what an
 * interruption leaves.
 */
async function removeFiles(services: Services, tenantId: number, mayGoOn: () => boolean) {
  for (;;) {
    const discarded = await writeAsSystem(services, (ctx) =>
      ctx.tx
        .updateTable('stored_files')
        .set({ state: 'discarded' })
        .where('tenant_id', '=', tenantId)
        .where('key', 'in', (eb) =>
          eb.selectFrom('stored_files').select('key').where('tenant_id', '=', tenantId).orderBy('key').limit(FILES),
        )
        .returning('key')
        .execute(),
    )
    if (!discarded.length) {
      await services.storage.deleteEmptyFolders(folderOf(tenantId))
      return true
    }
    for (const { key } of discarded) {
      if (!mayGoOn()) return false
      await removeFile(services, tenantId, key)
    }
  }
}

/**
 * Deletes the workspace's row and what cascades from it. Fails, and is retried, if a late write has left rows in the workspace.
 */
async function eraseTenant(ctx: PlatformCtx, tenantId: number) {
  await forget(ctx, tenantId)
  await ctx.tx.deleteFrom('tenants').where('id', '=', tenantId).where('erasing_since', 'is not', null).execute()
}
