/** External ids: ids of records in other systems, unique among the live records of a kind. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { type FieldErrors, invalid } from '../errors.ts'
import { changesOf } from '../values/fields.ts'
import type { RecordTable, Resource, Row } from './resource.ts'

/**
 * Returns the live record with an external id, locked; undefined if there is none. Also locks the id until the transaction ends,
 * so that concurrent requests create only one record. Throws 422 if the actor can't see the record.
 */
export async function lockByExternalId<T extends RecordTable>(
  ctx: Ctx,
  of: Resource<T>,
  externalId: string,
): Promise<Row<T> | undefined> {
  const [, { rows }] = await allPipelined(
    sql`select pg_advisory_xact_lock(hashtextextended(${`${ctx.tenant.id} ${of.table} ${externalId}`}, 0))`.execute(ctx.tx),
    sql<{ key: number | string; seen: boolean }>`
      select ${sql.ref(of.key)} as key, ${of.scope(ctx) ?? sql`true`} as seen from ${sql.table(of.table)}
      where tenant_id = ${ctx.tenant.id} and external_id = ${externalId} and deleted_at is null`.execute(ctx.tx),
  )
  if (!rows[0]) return undefined
  if (!rows[0].seen) throw invalid({ external_id: `Another ${of.noun} of this workspace has this external id.` })
  return of.lock(ctx, rows[0].key)
}

/** Sets the external id of a record that was just created. Throws 422 on `external_id` if another record has it. */
export async function identify(ctx: Ctx, of: Resource, id: number, externalId: string) {
  await sql`update ${sql.table(of.table)} set external_id = ${externalId} where tenant_id = ${ctx.tenant.id} and id = ${id}`
    .execute(ctx.tx)
    .catch(of.refuseTaken)
}

/** Schema of a record that may be new: the fields for creating and for changing one, all optional. */
export const upsertOf = (body: z.ZodObject, changes: z.ZodObject): z.ZodObject =>
  z.object({ ...changes.shape, ...changesOf(body).shape })

/**
 * Returns the fields of a record that turned out to be new, with defaults for missing ones. Throws 422 on missing required
 * fields.
 */
export function completed(body: z.ZodObject, sent: Record<string, unknown>): Record<string, unknown> {
  const errors: FieldErrors = {}
  const values: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(body.shape as Record<string, z.core.$ZodType>)) {
    if (sent[name] !== undefined) {
      values[name] = sent[name]
      continue
    }
    const absent = z.safeParse(schema, undefined)
    if (!absent.success) errors[name] = absent.error.issues.map(({ message }) => message)
    else if (absent.data !== undefined) values[name] = absent.data
  }
  if (Object.keys(errors).length) throw invalid(errors)
  return values
}

/** Returns the sent fields that a schema has. */
export const fieldsOf = (schema: z.ZodObject, sent: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(sent).filter(([name]) => name in schema.shape))
