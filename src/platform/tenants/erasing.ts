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
  /** Repeats a step until it finds nothing more; answers how much it found in all, undefined when it had to stop. */
  const whole = async (step: (ctx: PlatformCtx) => Promise<number>) => {
    for (let sum = 0; ; ) {
      if (!mayGoOn()) return undefined
      const found = await write(services, step)
      if (!found) return sum
      sum += found
    }
  }
  const { loosened, tables } = await services.database.platform('read', readDeletion)
  if ((await eraseFiles(services, tenantId, mayGoOn)) === undefined) return false
  for (const { table, column } of loosened)
    if ((await whole((ctx) => loosen(ctx, tenantId, table, column))) === undefined) return false
  // Triggers write to tables that were emptied before (tallies): they are gone through until nothing is left.
  for (let left = 1; left; ) {
    left = 0
    for (const table of tables) {
      const found = await whole((ctx) => empty(ctx, tenantId, table))
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

const empty = async (ctx: PlatformCtx, tenantId: number, table: string) =>
  Number((await sql`delete from ${sql.table(table)} where ${someOf(table, tenantId)}`.execute(ctx.tx)).numAffectedRows)

async function loosen(ctx: PlatformCtx, tenantId: number, table: string, column: string) {
  const held = sql`${sql.ref(column)} is not null`
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = null where ${someOf(table, tenantId, held)}`.execute(ctx.tx)
  return Number(numAffectedRows)
}

/** Undefined when it had to stop. */
async function eraseFiles(services: Services, tenantId: number, mayGoOn: () => boolean) {
  for (;;) {
    const keys = await write(services, async (ctx) => {
      const some = ctx.tx.selectFrom('stored_files').select('key').where('tenant_id', '=', tenantId).orderBy('key').limit(FILES)
      const discarded = await ctx.tx
        .updateTable('stored_files')
        .set({ state: 'discarded' })
        .where('tenant_id', '=', tenantId)
        .where('key', 'in', some)
        .returning('key')
        .execute()
      return discarded.map(({ key }) => key)
    })
    if (!keys.length) return true
    for (const key of keys) {
      if (!mayGoOn()) return undefined
      await removeFile(services, tenantId, key)
    }
  }
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
