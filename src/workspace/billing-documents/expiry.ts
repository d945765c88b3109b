/** Ends documents after their last day, in the workspace's time zone. */
import { sql } from 'kysely'
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { RecordTable, Resource, Row } from '#kernel/records/resource.ts'

const BATCH = 100

type Until = 'valid_until' | 'ends_on'

/** 422 on the last day of a document to be sent, if it has passed. */
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

/**
 * Whether a document can no longer be accepted, even if it isn't marked as expired yet. One that was converted to an invoice
 * doesn't expire.
 */
export function isOver(ctx: Ctx, document: Offered, lastDay: Until) {
  const day = document[lastDay]
  return day != null && day < ctx.today() && document.converted_invoice_id == null
}

/** Guard of acceptance: 422 on `status` of a sent document whose last day has passed. */
export const acceptanceGuard =
  ({ noun }: { noun: string }, lastDay: Until) =>
  (ctx: Ctx, document: Offered) => {
    if (document.status === 'sent' && isOver(ctx, document, lastDay))
      throw invalid({ status: `The last day of this ${noun} is over.` })
  }

interface Ending<T extends RecordTable> {
  lastDay: keyof Row<T> & string
  states: string[]
  /** Column that is set once the last day no longer matters. */
  settledBy?: keyof Row<T> & string
  end(ctx: Ctx, row: Row<T>): Promise<unknown>
}

/** Ends every live document in one of the states whose last day has passed: a hundred per transaction, each locked. */
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
