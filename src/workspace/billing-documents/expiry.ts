/** What has a last day ends when that is over, in the workspace's calendar. */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'

const BATCH = 100

type Until = 'valid_until' | 'ends_on'

/** 422 on the last day of a document that is being sent, when it is over. */
export function refuseOver(ctx: Ctx, document: { [day in Until]?: string | null }, lastDay: Until) {
  const day = document[lastDay]
  if (day && day < ctx.today()) throw invalid({ [lastDay]: 'Must not be over when it is sent.' })
}

interface Ending<T extends RecordTable> {
  lastDay: keyof Row<T> & string
  states: string[]
  /** A column that is set once its last day doesn't matter any more. */
  settledBy?: keyof Row<T> & string
  end(ctx: Ctx, row: Row<T>): Promise<unknown>
}

/** Ends every live document in one of the states whose last day is over: a hundred a transaction, each locked. */
export async function endOverdue<T extends RecordTable>(
  steps: WorkspaceSteps,
  { table }: Resource<T>,
  { lastDay, states, settledBy, end }: Ending<T>,
) {
  const isUnsettled = settledBy ? sql`${sql.ref(settledBy)} is null` : sql`true`
  const some = async (ctx: Ctx) => {
    const { rows } = await sql<Row<T>>`
      select * from ${sql.table(table)}
      where tenant_id = ${ctx.tenant.id} and deleted_at is null and status = any(${states}) and ${sql.ref(lastDay)} < ${ctx.today()}
        and ${isUnsettled}
      order by ${sql.ref(lastDay)}, id limit ${BATCH} for update`.execute(ctx.tx)
    for (const row of rows) await end(ctx, row)
    return rows.length
  }
  while ((await steps.write(some)) === BATCH);
}
