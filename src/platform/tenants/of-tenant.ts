/** Lists of records of one workspace, below /tenants/{id}, and the embedded workspace of a row. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import type { Listed } from '#kernel/records/listing.ts'
import { type Embed, embedded, type View } from '#kernel/records/view.ts'

/** Context of a list of one workspace's records. */
export interface TenantCtx extends PlatformCtx {
  tenantId: number
}

/** Declares a table with a tenant_id for a listing: `list.page({ ...ctx, tenantId: id }, query)`. */
export const ofTenant = <V extends View>(table: string, item: V): Listed<V, TenantCtx> => ({
  table,
  item,
  within: ({ tenantId }) => sql`${sql.ref(`${table}.tenant_id`)} = ${tenantId}`,
  scope: () => undefined,
})

const InShort = z.object({ id: z.int(), workspace_name: z.string(), slug: z.string() })
const ofRow: Embed<'tenant_id'> = {
  columns: ['tenant_id'],
  refersTo: 'tenant',
  value: ({ table }) => sql`(
    select json_build_object('id', t.id, 'workspace_name', t.workspace_name, 'slug', t.slug)
    from tenants t where t.id = ${sql.ref(`${table}.tenant_id`)})`,
}

/** Embedded workspace of a row. */
export const tenantInShort = () => embedded(InShort, ofRow)
/** The same for rows that outlive their workspace, or belong to the platform. */
export const tenantIfAny = () => embedded(InShort.nullable(), ofRow)
