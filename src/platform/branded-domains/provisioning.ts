/** The last step of a workspace's own hostname: TLS is live at the operator's edge (BRD-09). */
import { sql } from 'kysely'
import { z } from 'zod'
import { audit } from '#kernel/auth/audit.ts'
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { computed, readOne, view } from '#kernel/records/view.ts'
import { choice, instant } from '#kernel/values/fields.ts'

/** BRD-01, as the workspace sees it too. */
export const ProvisionedDomain = view('branded_domains', 'ProvisionedDomain', {
  id: z.int(),
  domain: z.string(),
  type: computed(z.literal('custom'), () => sql`'custom'`),
  verified: computed(z.boolean(), ({ table }) => sql`${sql.ref(`${table}.verified_at`)} is not null`),
  verified_at: instant().nullable(),
  ssl_provisioned: computed(z.boolean(), ({ table }) => sql`${sql.ref(`${table}.ssl_provisioned_at`)} is not null`),
  ssl_provisioned_at: instant().nullable(),
  hosting_status: choice(['dns_pending', 'ssl_pending', 'active']),
  is_primary: computed(z.boolean(), () => sql`true`),
  claimed_at: instant(),
})

/** 422 on `domain` where the workspace has none, on `hosting_status` before it is verified; twice is once. */
export async function provision(ctx: PlatformCtx, tenantId: number) {
  const row = await ctx.tx
    .selectFrom('branded_domains')
    .select(['domain', 'hosting_status'])
    .where('tenant_id', '=', tenantId)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw invalid({ domain: 'This workspace has no domain of its own.' })
  if (row.hosting_status === 'dns_pending') throw invalid({ hosting_status: 'The domain is not verified yet.' })
  if (row.hosting_status === 'ssl_pending') {
    await audit(ctx, 'branded_domain_provisioned', { domain: row.domain }, tenantId)
    await ctx.tx
      .updateTable('branded_domains')
      .set({ hosting_status: 'active', ssl_provisioned_at: ctx.now, updated_at: ctx.now, revision: sql`revision + 1` })
      .where('tenant_id', '=', tenantId)
      .execute()
  }
  return readOne(ctx, ProvisionedDomain, 'branded_domains', sql`branded_domains.tenant_id = ${tenantId}`, { noun: 'domain' })
}
