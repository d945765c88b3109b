/** What happens to workspaces: for auditors, and for programs that follow the platform's events. */
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

/** Tells programs of something that happened to a workspace. */
export const tell = (ctx: BaseCtx, deed: TenantDeed, { id, slug, workspace_name }: NamedTenant, changed?: Changed) =>
  told(ctx, deed, [{ id, label: workspace_name, data: { slug }, changed }])

/** Takes away what told of the values of a workspace that is erased. */
export const forget = (ctx: PlatformCtx, tenantId: number) => forgetChanges(ctx, KIND, tenantId)

/** Notes what somebody of the platform did to a workspace, in its audit log and in the feed. */
export async function noteDeed(
  ctx: PlatformCtx,
  deed: TenantDeed,
  tenant: NamedTenant,
  { audited = {}, changed }: { audited?: Record<string, unknown>; changed?: Changed } = {},
) {
  await audit(ctx, deed === 'owner_verified' ? deed : (`tenant_${deed}` as const), audited, tenant.id)
  await tell(ctx, deed, tenant, changed)
}
