/** Imports of leads: whoever may not assign leads sees only the files that they uploaded themselves. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, type Listed, listing, workspaceTable } from '#kernel/records/listing.ts'
import { type Row, readRow } from '#kernel/records/resource.ts'
import { readOne } from '#kernel/records/view.ts'
import type { Mapping } from './fields.ts'
import { LeadImport, STATUSES } from './schema.ts'

export type Import = Row<'lead_imports'>

const inSight = (ctx: Ctx) => (ctx.can('leads.assign') ? undefined : sql<boolean>`lead_imports.created_by = ${ctx.actor.id}`)

const listed: Listed<typeof LeadImport, Ctx> = { ...workspaceTable('lead_imports', LeadImport), scope: inSight }

/** LEAD-70. */
export const importList = listing(listed, {
  sorts: ['created_at', 'updated_at', 'status', 'file_name', 'total_rows'],
  filters: { status: filter.oneOf('status', STATUSES) },
  hardDeleted: true,
})

const named = (ctx: Ctx, uuid: string) => sql<boolean>`
  lead_imports.tenant_id = ${ctx.tenant.id} and lead_imports.uuid = ${uuid} and ${inSight(ctx) ?? sql`true`}`

/** 404 outside the workspace and the actor's sight, as in the next two. */
export const findImport = (ctx: Ctx, uuid: string): Promise<Import> =>
  readRow(ctx, 'lead_imports', named(ctx, uuid), { noun: 'import' })

/** The import, locked until the transaction ends. */
export const lockImport = (ctx: Ctx, uuid: string): Promise<Import> =>
  readRow(ctx, 'lead_imports', named(ctx, uuid), { noun: 'import', lock: true })

export const showImport = (ctx: Ctx, uuid: string) =>
  readOne(ctx, LeadImport, 'lead_imports', named(ctx, uuid), { noun: 'import' })

/** By its own id, whoever sees it: for the work in the background. */
export const lockById = (ctx: Ctx, id: number): Promise<Import> =>
  readRow(ctx, 'lead_imports', sql`tenant_id = ${ctx.tenant.id} and id = ${id}`, { noun: 'import', lock: true })

export const saveImport = (ctx: Ctx, { id }: Import, changes: Partial<Import>) =>
  ctx.tx
    .updateTable('lead_imports')
    .set((eb) => ({ ...(changes as {}), updated_at: ctx.now, revision: eb('revision', '+', 1) }))
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', '=', id)
    .execute()

/** 422 on `status` once it was run: from then on nothing about it can be changed. */
export function refuseStarted({ status }: Import) {
  if (status !== 'uploaded' && status !== 'mapped') throw invalid({ status: `An import that is ${status} cannot be changed.` })
}

/** What its columns mean; 422 on `status` before somebody has said so. */
export function mappingOf({ mapping }: Pick<Import, 'mapping'>): Mapping {
  if (!mapping) throw invalid({ status: 'Say first what its columns mean: PUT the mapping.' })
  return mapping as Mapping
}
