/**
 * Erasing what a workspace that was deleted for good has left: its files, every row of every table of workspaces, then itself
 * (CEN-25). Each step is a short transaction of its own; one that is interrupted is simply gone on with.
 */
import { type RawBuilder, sql } from 'kysely'
import { type PlatformCtx, type Services, writeAsSystem } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { oneByOne } from '#kernel/jobs/one-by-one.ts'
import { folderOf, removeFile } from '#kernel/storage/uploads.ts'
import { readDeletion, type Table } from './deletion-order.ts'
import { forget } from './telling.ts'

const ROWS = 500
/** PostgreSQL's code for a statement that took longer than DATABASE_STATEMENT_TIMEOUT: a smaller batch may not. */
const TIMED_OUT = '57014'
const FILES = 100
/** In milliseconds; then the job goes to the back of its queue. */
const SLICE = 300_000

/** Sent by whoever deletes a workspace for good; every hour it looks for what an earlier run has left. */
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

/** Whether all of it is gone; false when it had to stop before the end. */
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
  // Triggers write to tables that were emptied before (tallies), so they are gone through until nothing is left.
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
  /** The key of the last row, behind which the next batch begins: what was deleted is not walked through again. */
  last?: unknown[]
}

/** What is done to rows of a table that a condition names. */
type Change = (table: string, where: RawBuilder<unknown>) => RawBuilder<unknown>
const deleting: Change = (table, where) => sql`delete from ${sql.table(table)} where ${where}`
const loosening =
  (columns: string[]): Change =>
  (table, where) => {
    const set = columns.map((column) => sql`${sql.ref(column)} = null`)
    return sql`update ${sql.table(table)} set ${sql.join(set)} where ${where}`
  }

/** Changes the workspace's next rows of a table, in the order of its key. */
async function changeSome(
  ctx: PlatformCtx,
  tenantId: number,
  { name, key }: Table,
  change: Change,
  size: number,
  last?: unknown[],
): Promise<Batch> {
  // Who refers to a row is looked for among rows that are deleted and not yet vacuumed away. An index remembers that they are dead
  // once it has met them; a bitmap of it meets them all again for every row.
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

/** Whether all files of the workspace are gone. They are discarded first, so that the sweep knows what an interruption has left. */
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

/** The row itself, with what cascades from it. It fails, and is tried again, where a late writer has left something in the workspace. */
async function eraseTenant(ctx: PlatformCtx, tenantId: number) {
  await forget(ctx, tenantId)
  await ctx.tx.deleteFrom('tenants').where('id', '=', tenantId).where('erasing_since', 'is not', null).execute()
}
