/** Audit log: security-relevant actions and their actors. Written in the transaction of the action, never changed. */
import type { Actor, BaseCtx } from '../context.ts'
import type { AuditEvent } from '../names.ts'

/**
 * Records an event of the ctx's workspace or of `tenantId`; 0 is the platform. Auditors read the properties: ids and reasons, no
 * secrets. A workspace can't look up platform users, so their names are stored with the event.
 */
export async function audit(
  ctx: BaseCtx & { actor: Actor },
  event: AuditEvent,
  properties: Record<string, unknown>,
  tenantId = 'tenant' in ctx ? (ctx.tenant as { id: number }).id : 0,
) {
  const { id, name, impersonator } = ctx.actor
  const actor_type = id === null ? 'system' : ctx.role === 'app_tenant' ? 'user' : 'platform_user'
  await ctx.tx
    .insertInto('audit_logs')
    .values({
      tenant_id: tenantId,
      event,
      actor_type,
      actor_id: id,
      impersonator_id: impersonator?.id ?? null,
      impersonator_type: impersonator?.type ?? null,
      properties: JSON.stringify({
        ...properties,
        ...(ctx.request.client ? { client: ctx.request.client } : {}),
        ...(actor_type === 'platform_user' ? { admin_name: name } : {}),
        ...(impersonator?.type === 'platform_user' ? { admin_name: impersonator.name } : {}),
      }),
      ip: ctx.request.ip || null,
      created_at: ctx.now,
    })
    .execute()
}
