/** Audit log of a workspace for operators (CEN-31, CEN-36): event, actor and time, and reviewed properties only. */
import { sql } from 'kysely'
import { z } from 'zod'
import { filter, listing } from '#kernel/records/listing.ts'
import { computed, embedded, view } from '#kernel/records/view.ts'
import { auditEvent, auditEventsOf } from '#kernel/tenancy/audit-events.ts'
import { instant } from '#kernel/values/fields.ts'
import { ofTenant } from './of-tenant.ts'
import { reviewedProperties } from './reviewed-properties.ts'

const Person = z
  .object({
    id: z.int(),
    name: z.string(),
    type: z.enum(['user', 'platform_user']),
  })
  .meta({ id: 'AuditedPerson' })

/** User of the workspace or of the platform: by their current name, else the one recorded with the event. */
const person = (role: 'actor' | 'impersonator') =>
  computed(Person.nullable(), ({ table }) => {
    const [type, id] = [sql.ref(`${table}.${role}_type`), sql.ref(`${table}.${role}_id`)]
    return sql`case ${type}
      when 'user' then json_build_object('id', ${id}, 'type', 'user', 'name', coalesce((
        select u.name from users u where u.tenant_id = ${sql.ref(`${table}.tenant_id`)} and u.id = ${id}), ''))
      when 'platform_user' then json_build_object('id', ${id}, 'type', 'platform_user', 'name', coalesce(
        (select p.name from platform_users p where p.id = ${id}), ${sql.ref(`${table}.properties`)} ->> 'admin_name', ''))
    end`
  })

export const AuditEntry = view('audit_logs', 'TenantAuditLog', {
  id: z.int(),
  event: auditEvent('workspace'),
  actor: person('actor'),
  impersonator: person('impersonator'),
  properties: embedded(z.record(z.string(), z.unknown()), {
    columns: ['event', 'properties'],
    value: ({ table }) => sql`json_build_object('event', ${sql.ref(`${table}.event`)}, 'all', ${sql.ref(`${table}.properties`)})`,
    finish: (entry: { event: string; all: Record<string, unknown> }) => reviewedProperties(entry.event, entry.all),
  }),
  created_at: instant(),
})

export const auditLogs = listing(ofTenant('audit_logs', AuditEntry), {
  sorts: ['created_at', 'event'],
  hardDeleted: true,
  filters: { event: filter.text('event', auditEventsOf('workspace')) },
})
