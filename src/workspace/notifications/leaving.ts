/** A user who is deleted leaves nothing here; restored, they begin anew. */
import type { Ctx } from '#kernel/context.ts'

export async function forgetUser(ctx: Ctx, userId: number) {
  for (const table of ['notifications', 'fcm_device_tokens', 'notification_preferences'] as const)
    await ctx.tx.deleteFrom(table).where('tenant_id', '=', ctx.tenant.id).where('user_id', '=', userId).execute()
}
