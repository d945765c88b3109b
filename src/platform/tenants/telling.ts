/** Events of workspaces, for the audit log and the platform's feed. */
import type { BaseCtx, PlatformCtx } from '#kernel/context.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { forgetChanges, telling } from '#platform/events/public.ts'

const DEEDS = ['created', 'updated', 'archived', 'unarchived', 'owner_verified', 'deleted', 'restored', 'force_deleted'] as const

const KIND = 'tenant'
const told = telling({ kind: KIND, module: 'tenants', may: 'tenants.read', deeds: DEEDS })

type TenantDeed = (typeof DEEDS)[number]
type Changed = Record<string, [unknown, unknown]>
interface NamedTenant {
  id: number
  slug: string
  workspace_name: string
}

/** Records a workspace's event in the platform's feed. */
export const tell = (ctx: BaseCtx, deed: TenantDeed, { id, slug, workspace_name }: NamedTenant, changed?: Changed) =>
  told(ctx, deed, [{ id, label: workspace_name, data: { slug }, changed }])

/** Deletes an erased workspace's values from its events. */
export const forget = (ctx: PlatformCtx, tenantId: number) => forgetChanges(ctx, KIND, tenantId)

/** Records an operator's action on a workspace, in its audit log and in the feed. */
export async function noteDeed(
  ctx: PlatformCtx,
  deed: TenantDeed,
  tenant: NamedTenant,
  { audited = {}, changed }: { audited?: Record<string, unknown>; changed?: Changed } = {},
) {
  await audit(ctx, deed === 'owner_verified' ? deed : (`tenant_${deed}` as const), audited, tenant.id)
  await tell(ctx, deed, tenant, changed)
}
