/**
 * Erasing what a workspace that was deleted for good has left: its files, every row of every table of workspaces, then itself
 * (CEN-25). Each step is a short transaction of its own; one that is interrupted is simply gone on with.
 */
import { sql } from 'kysely'
import { onPlatform, originOf, type PlatformCtx, type Services, systemOperator } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { discardFile, removeFile } from '#kernel/storage/uploads.ts'
import { readDeletion } from './deletion-order.ts'

const ROWS = 2000
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
    const failures: unknown[] = []
    for (const id of await toErase(services))
      try {
        if (await erase(services, id, mayGoOn)) continue
        await write(services, (ctx) => services.queue.send(ctx, eraseTenants, {}))
        return
      } catch (error) {
        failures.push(error) // the others don't wait for one that resists
      }
    if (failures.length) throw new AggregateError(failures, 'workspaces could not be erased')
  },
})

const write = <T>(services: Services, work: (ctx: PlatformCtx) => Promise<T>) =>
  onPlatform(originOf(services), systemOperator, 'write', work)

const toErase = ({ database }: Services) =>
  database.platform('read', async (tx) => {
    const rows = tx.selectFrom('tenants').select('id').where('erasing_since', 'is not', null).orderBy('erasing_since')
    return (await rows.execute()).map(({ id }) => id)
  })

/** Whether all of it is gone; false when it had to stop before the end. */
async function erase(services: Services, tenantId: number, mayGoOn: () => boolean) {
  /** Repeats a step until it finds nothing more. Answers how much it found in all, undefined when it had to stop. */
  const repeat = async (step: () => Promise<number>) => {
    for (let sum = 0; ; ) {
      if (!mayGoOn()) return undefined
      const found = await step()
      if (!found) return sum
      sum += found
    }
  }
  const { loosened, tables } = await services.database.platform('read', readDeletion)
  for (const { table, column } of loosened)
    if ((await repeat(() => write(services, (ctx) => loosen(ctx, tenantId, table, column)))) === undefined) return false
  // Triggers write to tables that were emptied before (tallies), so they are gone through until nothing is left.
  for (let left = 1; left; ) {
    left = 0
    for (const table of tables) {
      const found = await repeat(() =>
        table === 'stored_files' ? removeFiles(services, tenantId) : write(services, (ctx) => empty(ctx, tenantId, table)),
      )
      if (found === undefined) return false
      left += found
    }
  }
  await write(services, (ctx) => eraseTenant(ctx, tenantId))
  return true
}

/** Some rows of the workspace, by where they are. */
const someOf = (table: string, tenantId: number, more = sql`true`) => sql`
  tenant_id = ${tenantId} and ctid = any(array(
    select ctid from ${sql.table(table)} where tenant_id = ${tenantId} and ${more} limit ${ROWS}))`

async function empty(ctx: PlatformCtx, tenantId: number, table: string) {
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${someOf(table, tenantId)}`.execute(ctx.tx)
  return Number(numAffectedRows)
}

async function loosen(ctx: PlatformCtx, tenantId: number, table: string, column: string) {
  const held = sql`${sql.ref(column)} is not null`
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = null where ${someOf(table, tenantId, held)}`.execute(ctx.tx)
  return Number(numAffectedRows)
}

/** Some files with their rows: discarded first, so that the sweep knows what an interruption has left. */
async function removeFiles(services: Services, tenantId: number) {
  const discarded = await write(services, (ctx) =>
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
  for (const { key } of discarded) await removeFile(services, tenantId, key)
  return discarded.length
}

/** The row itself, with what cascades from it. It fails, and is tried again, where a late writer has left something in the workspace. */
async function eraseTenant(ctx: PlatformCtx, tenantId: number) {
  const gone = await ctx.tx
    .deleteFrom('tenants')
    .where('id', '=', tenantId)
    .where('erasing_since', 'is not', null)
    .returning('logo_path')
    .executeTakeFirst()
  if (gone?.logo_path) await discardFile(ctx, gone.logo_path)
}
