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

interface Offered {
  status: string
  valid_until?: string | null
  ends_on?: string | null
  converted_invoice_id?: number | null
}

/** Whether nobody can accept a document any more, whether or not it has expired by now. One that became an invoice has had its answer. */
export function isOver(ctx: Ctx, document: Offered, lastDay: Until) {
  const day = document[lastDay]
  return day != null && day < ctx.today() && document.converted_invoice_id == null
}

/** A guard of its acceptance: 422 on `status` of one that was sent when its last day is over. */
export const acceptanceGuard =
  ({ noun }: { noun: string }, lastDay: Until) =>
  (ctx: Ctx, document: Offered) => {
    if (document.status === 'sent' && isOver(ctx, document, lastDay))
      throw invalid({ status: `The last day of this ${noun} is over.` })
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
