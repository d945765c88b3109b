/** Lists of what belongs to one workspace, below /tenants/{id}. */
import { sql } from 'kysely'
import type { PlatformCtx } from '#kernel/context.ts'
import type { Listed } from '#kernel/records/listing.ts'
import type { View } from '#kernel/records/view.ts'

/** The workspace that a list is of. */
export interface TenantCtx extends PlatformCtx {
  tenantId: number
}

/** A table with a tenant_id, for a listing: `list.page({ ...ctx, tenantId: id }, query)`. */
export const ofTenant = <V extends View>(table: string, item: V): Listed<V, TenantCtx> => ({
  table,
  item,
  within: ({ tenantId }) => sql`${sql.ref(`${table}.tenant_id`)} = ${tenantId}`,
  scope: () => undefined,
})
