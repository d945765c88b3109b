/** Creates and updates records from request bodies: checks references, assigns, numbers, and writes timeline entries. */
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { assignAsSent, assigneeForNew } from './assignment.ts'
import { revise } from './changes.ts'
import { checkReferences } from './references.ts'
import type { Changes, Children, New, RecordTable, Resource, Row } from './resource.ts'
import { readByIds, type View } from './view.ts'

/** A record whose INSERT has been sent: its id is known, its result isn't. */
export interface PendingInsert {
  id: number
  inserted: Promise<unknown>
}

/** Request body, parsed by its schema. */
type Sent = { assigned_to?: number | null; [field: string]: unknown }
type Also<T extends RecordTable> = Partial<New<T>> & { children?: Children }

/**
 * Creates a record from a request body: checks references, assigns and numbers it. `also` has further columns and children; as a
 * function it may query the database, in parallel with the checks.
 */
export async function createRecord<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  schema: z.ZodObject,
  sent: Sent,
  also: Also<T> | (() => Promise<Also<T>>) = {},
): Promise<PendingInsert> {
  const [, { children, ...columns }, assigned_to, id, numberPrefix] = await allPipelined(
    checkReferences(ctx, schema, sent),
    Promise.resolve(typeof also === 'function' ? also() : also),
    of.assignPermission ? assigneeForNew(ctx, of, sent.assigned_to) : Promise.resolve(undefined),
    of.reserve(ctx),
    of.numberPrefix ? ctx.setting(of.numberPrefix) : Promise.resolve(undefined),
  )
  const values = {
    ...sent,
    ...columns,
    ...(of.assignPermission ? { assigned_to } : {}),
    ...(children ? { [children.field]: undefined } : {}),
  }
  const inserted = of.insert(ctx, values as never, { id, numberPrefix: numberPrefix as string | undefined, children })
  // On a cluster the insert takes several statements: later queries would overtake them.
  if (ctx.services.database.isCluster) await inserted
  return { id, inserted }
}

/** A list that is sent with a record and stored in another table, such as the lines of an order. */
interface Beside {
  field: string
  /** Replaces the stored list. */
  store(): Promise<unknown> | undefined
}

/** Updates a record from a request body. `also` has columns that the client doesn't send. */
export async function updateRecord<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  schema: z.ZodObject,
  row: Row<T>,
  sent: Sent,
  also: Changes<T> = {},
  beside?: Beside,
): Promise<Row<T>> {
  await checkReferences(ctx, schema, sent, row as object)
  const { assigned_to, ...changes } = sent
  const besides = beside && { [beside.field]: undefined }
  const columns = { ...(of.assignPermission ? changes : sent), ...also, ...besides } as Changes<T>
  const isTold = beside && sent[beside.field] !== undefined
  const before = isTold ? await shownList(ctx, of, row, beside.field) : undefined
  await beside?.store()
  const told = isTold ? { [beside.field]: [before, await shownList(ctx, of, row, beside.field)] as [unknown, unknown] } : {}
  const revised = await revise(ctx, of, row, columns, told)
  return of.assignPermission ? assignAsSent(ctx, of, revised, assigned_to) : revised
}

/**
 * Returns a list as the detail view shows it, without ids: entries are recreated with each change, so their ids carry no
 * information.
 */
async function shownList(ctx: Ctx, of: Resource, row: object, field: string) {
  const view = z.object({ [field]: of.detail.shape[field] as z.core.$ZodType }) as View
  const [shown] = await readByIds(ctx, view, of.table, [(row as { id: number }).id])
  return ((shown as Record<string, unknown>)[field] as object[]).map((entry) => ({ ...entry, id: undefined }))
}

/**
 * Emits a record's events while its INSERT is in flight: queries of the listeners are pipelined after it. If the INSERT fails,
 * its error takes precedence.
 */
export async function insertThenEmit(made: PendingInsert, tell: () => Promise<unknown>): Promise<PendingInsert> {
  try {
    await tell()
  } catch (error) {
    await made.inserted
    throw error
  }
  return made
}
