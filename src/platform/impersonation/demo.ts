/** Demo: support has impersonated each workspace's owner once. */
import { defineDemo } from '#kernel/demo/parts.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** Token id of long-ended sessions. */
const TOKEN = 1
const REASON = 'Ticket 4711: the total of an order looks wrong, looking at it together'

export default defineDemo({
  after: ['users'],
  async fillPlatform(ctx, { calendar, workspaces }) {
    const admin = await ctx.tx
      .selectFrom('platform_users as u')
      .innerJoin('platform_user_roles as ur', 'ur.user_id', 'u.id')
      .innerJoin('platform_roles as r', 'r.id', 'ur.role_id')
      .select(['u.id', 'u.name', 'u.email'])
      .where('r.name', '=', 'support')
      .where('u.deleted_at', 'is', null)
      .orderBy('u.id')
      .executeTakeFirst()
    if (!admin) return 0
    for (const [n, { id: tenant_id }] of workspaces.entries()) {
      const { id: user_id } = await ctx.tx
        .selectFrom('users')
        .select('id')
        .where('tenant_id', '=', tenant_id)
        .where('is_owner', '=', true)
        .executeTakeFirstOrThrow()
      const started_at = calendar.instant(calendar.days - 9 + (n % 5))!
      const ended_at = plusSeconds(started_at, 840)
      const { id } = await ctx.tx
        .insertInto('platform_impersonations')
        .values({
          ...{
            tenant_id,
            admin_id: admin.id,
            admin_name: admin.name,
            admin_email: admin.email,
            admin_token_id: TOKEN,
            token_id: TOKEN,
          },
          ...{ user_id, reason: REASON, ip: '192.0.2.10', user_agent: 'Mozilla/5.0', started_at, ended_at },
          expires_at: plusSeconds(started_at, 3600),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const told = { tenant_id, actor_type: 'platform_user' as const, actor_id: admin.id, ip: '192.0.2.10' }
      const session = { impersonation_id: id, target_id: user_id, admin_name: admin.name }
      await ctx.tx
        .insertInto('audit_logs')
        .values([
          {
            ...told,
            event: 'impersonation_started',
            properties: JSON.stringify({ ...session, reason: REASON }),
            created_at: started_at,
          },
          {
            ...told,
            event: 'impersonation_ended',
            properties: JSON.stringify({ ...session, admin_id: admin.id }),
            created_at: ended_at,
          },
        ])
        .execute()
    }
    return workspaces.length
  },
})
