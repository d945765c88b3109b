/** Last step of a workspace's own domain: TLS is active at the operator's edge (BRD-09). */
import { sql } from 'kysely'
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { domainView } from '#workspace/branded/public.ts'

/**
 * Marks a domain as provisioned. 422 on `domain` if the workspace has none or it isn't verified. Repeated calls have no effect.
 */
export async function provision(ctx: PlatformCtx, tenantId: number) {
  const row = await ctx.tx
    .selectFrom('branded_domains')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw invalid({ domain: 'This workspace has no domain of its own.' })
  if (row.hosting_status === 'dns_pending') throw invalid({ domain: 'The domain is not verified yet.' })
  if (row.hosting_status === 'active') return domainView(row)
  await audit(ctx, 'branded_domain_provisioned', { domain: row.domain }, tenantId)
  const live = await ctx.tx
    .updateTable('branded_domains')
    .set({ hosting_status: 'active', ssl_provisioned_at: ctx.now, updated_at: ctx.now, revision: sql`revision + 1` })
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .executeTakeFirstOrThrow()
  return domainView(live)
}
