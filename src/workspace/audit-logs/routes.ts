import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { workspace } from '#kernel/http/route.ts'
import { listing, workspaceTable } from '#kernel/records/listing.ts'
import { instant } from '#kernel/values/fields.ts'

const AuditLog = z
  .object({
    id: z.int(),
    event: z.string(),
    actor: z.object({ id: z.int(), name: z.string(), type: z.enum(['user', 'platform_user']) }).nullable(),
    properties: z.record(z.string(), z.unknown()),
    ip: z.string().nullable(),
    created_at: instant(),
  })
  .meta({ id: 'AuditLog' })

const list = listing(workspaceTable('audit_logs'), {
  sorts: ['created_at', 'event'],
  hardDeleted: true,
  filters: { event: { schema: z.string().max(100), where: (_, value, column) => sql`${column('event')} = ${value}` } },
})

/** Platform users are not visible here; their name was written with the event. */
const actor = sql<z.input<typeof AuditLog>['actor']>`
  case actor_type
    when 'user' then (select json_build_object('id', u.id, 'name', u.name, 'type', 'user') from users u where u.tenant_id = audit_logs.tenant_id and u.id = actor_id)
    when 'platform_user' then json_build_object('id', actor_id, 'name', coalesce(properties ->> 'admin_name', 'Platform'), 'type', 'platform_user')
  end`

const select = (ctx: Ctx) =>
  ctx.tx.selectFrom('audit_logs').select(['id', 'event', 'properties', 'ip', 'created_at', actor.as('actor')])

export default [
  workspace.get('/', { allow: 'audit-logs.view', query: list.query, page: AuditLog }, async (ctx, { query }) => {
    const { rows, total } = await list.page(ctx, query, select)
    return { rows: rows as z.input<typeof AuditLog>[], total }
  }),
]
