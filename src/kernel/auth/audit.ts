/** The audit log: who did what that an auditor would ask about. Written in the transaction of the deed, never changed. */
import type { Ctx } from '../context.ts'

/** Records an event of the workspace. Properties are read by its auditors: ids and reasons, no secrets. */
export async function audit(ctx: Ctx, event: string, properties: Record<string, unknown>) {
  await ctx.tx
    .insertInto('audit_logs')
    .values({
      tenant_id: ctx.tenant.id,
      event,
      actor_type: ctx.actor.id === null ? 'system' : 'user',
      actor_id: ctx.actor.id,
      properties: JSON.stringify(properties),
      ip: ctx.request.ip || null,
      created_at: ctx.now,
    })
    .execute()
}
