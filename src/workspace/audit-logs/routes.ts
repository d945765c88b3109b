import { sql } from 'kysely'
import { z } from 'zod'
import { workspace } from '#kernel/http/route.ts'
import { filter, listing, workspaceTable } from '#kernel/records/listing.ts'
import { Impersonator, impersonatorJson } from '#kernel/records/timeline.ts'
import { computed, view } from '#kernel/records/view.ts'
import { auditEvent, auditEventsOf } from '#kernel/tenancy/audit-events.ts'
import { instant } from '#kernel/values/fields.ts'

const Actor = z.object({
  id: z.int(),
  name: z.string(),
  type: z.enum(['user', 'platform_user']),
})

/** Platform users are not visible here; their name was stored with the event. */
const actor = computed(
  Actor.nullable(),
  ({ ctx, table }) => sql`
    case ${sql.ref(`${table}.actor_type`)}
      when 'user' then (
        select json_build_object('id', u.id, 'name', u.name, 'type', 'user') from users u
        where u.tenant_id = ${ctx.tenant.id} and u.id = ${sql.ref(`${table}.actor_id`)})
      when 'platform_user' then json_build_object('id', ${sql.ref(`${table}.actor_id`)},
        'name', coalesce(${sql.ref(`${table}.properties`)} ->> 'admin_name', 'Platform'), 'type', 'platform_user')
    end`,
)

const AuditLog = view('audit_logs', 'AuditLog', {
  id: z.int(),
  event: auditEvent('workspace'),
  actor,
  impersonator: computed(Impersonator.nullable(), ({ ctx, table }) => impersonatorJson(ctx, table)),
  properties: z.record(z.string(), z.unknown()),
  ip: z.string().nullable(),
  created_at: instant(),
})

const list = listing(workspaceTable('audit_logs', AuditLog), {
  sorts: ['created_at', 'event'],
  hardDeleted: true,
  filters: { event: filter.text('event', auditEventsOf('workspace')) },
})

export default [
  workspace.get('/', { allow: 'audit-logs.view', query: list.query, page: AuditLog }, (ctx, { query }) => list.page(ctx, query)),
]
