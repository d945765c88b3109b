/** Recent records and activities for the dashboard. */
import { sql } from 'kysely'
import type { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { auditEventsOf } from '#kernel/tenancy/audit-events.ts'
import { humanised } from '#kernel/values/words.ts'
import type { Dashboard } from './schema.ts'

type Figures = z.input<typeof Dashboard>

const MAX = 10

export const recentTenants = ({ tx }: PlatformCtx): Promise<Figures['recent_tenants']> =>
  tx
    .selectFrom('tenants')
    .select(['id', 'workspace_name', 'slug', 'status', 'created_at'])
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX)
    .execute()

export async function recentSubscriptions({ tx }: PlatformCtx): Promise<Figures['recent_subscriptions']> {
  const { rows } = await sql<Figures['recent_subscriptions'][number]>`
    select s.id, json_build_object('id', t.id, 'workspace_name', t.workspace_name) as tenant,
      json_build_object('key', m.key, 'name', m.name) as module, s.source, s.status, s.created_at
    from (select * from module_subscriptions order by id desc limit ${MAX}) s
    join tenants t on t.id = s.tenant_id join modules m on m.id = s.module_id order by s.id desc`.execute(tx)
  return rows
}

/**
 * Returns recent entries of the platform's own audit log: event and actor. Properties are left out, because they may contain
 * anyone's texts.
 */
export async function recentActivities({ tx }: PlatformCtx): Promise<Figures['recent_activities']> {
  const { rows } = await sql<Omit<Figures['recent_activities'][number], 'title'>>`
    select a.id, a.event, u.name as actor, a.created_at
    from (select * from audit_logs where tenant_id = 0 order by created_at desc, id desc limit ${MAX}) a
    left join platform_users u on a.actor_type = 'platform_user' and u.id = a.actor_id order by a.created_at desc, a.id desc`.execute(
    tx,
  )
  const words = auditEventsOf('any')
  return rows.map((row) => ({ ...row, title: words[row.event] ?? humanised(row.event.replaceAll('.', '_')) }))
}
