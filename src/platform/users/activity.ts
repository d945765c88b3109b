/** Activity of a platform user, from the audit logs of the platform and of every workspace. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { auditEvent } from '#kernel/tenancy/audit-events.ts'
import { instant } from '#kernel/values/fields.ts'
import { reviewedProperties } from '#platform/tenants/public.ts'

export const ActivityEntry = z
  .object({
    id: z.int(),
    event: auditEvent('any'),
    tenant: z.object({ id: z.int(), name: z.string() }).nullable().describe('The workspace that it was about.'),
    properties: z.record(z.string(), z.unknown()),
    created_at: instant(),
  })
  .meta({ id: 'PlatformUserActivity' })

/** CEN-39. */
const MAX = 50

/** Returns a user's latest entries, newest first. */
export async function activityOf(ctx: PlatformCtx, userId: number): Promise<z.input<typeof ActivityEntry>[]> {
  const { rows } = await sql<z.input<typeof ActivityEntry>>`
    select a.id, a.event, a.properties, a.created_at,
      case when t.id is not null then json_build_object('id', t.id, 'name', t.workspace_name) end as tenant
    from (
      select * from audit_logs where actor_type = 'platform_user' and actor_id = ${userId}
      order by created_at desc, id desc limit ${MAX}
    ) a left join tenants t on t.id = a.tenant_id order by a.created_at desc, a.id desc`.execute(ctx.tx)
  return rows.map((row) => ({ ...row, properties: reviewedProperties(row.event, row.properties) }))
}
