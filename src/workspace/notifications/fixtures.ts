/** What the people of a demo workspace were told lately of leads and tasks. The older half is read. */
import { sql } from 'kysely'
import { defineDemo } from '#kernel/modules/demo.ts'
import { type Envelope, SCHEMA_VERSION } from './envelope.ts'

/** Records of each kind that somebody is told of. */
const MOST = 300

export default defineDemo({
  after: ['leads', 'tasks'],
  async fill(ctx, plan) {
    const count = plan.share(1 / 200, { least: 10, most: MOST })
    const newest = async (query: ReturnType<typeof sql<Given>>) => (await query.execute(ctx.tx)).rows
    const leads = await newest(sql`
      select id, name, assigned_to as user_id, created_at from leads
      where tenant_id = ${ctx.tenant.id} and assigned_to is not null order by created_at desc, id desc limit ${count}`)
    const tasks = await newest(sql`
      select id, title as name, assigned_to as user_id, created_at from tasks
      where tenant_id = ${ctx.tenant.id} and assigned_to is not null order by created_at desc, id desc limit ${count}`)
    const rows = [...leads.map((one) => told('lead', one)), ...tasks.map((one) => told('task', one))]
    const dated = rows.sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    if (!dated.length) return 0
    await ctx.tx
      .insertInto('notifications')
      .values(
        dated.map((row, n) => ({ ...row, tenant_id: ctx.tenant.id, read_at: n < dated.length / 2 ? row.created_at : null })),
      )
      .execute()
    return dated.length
  },
})

interface Given {
  id: number
  name: string
  user_id: number
  created_at: string
}

function told(entity: 'lead' | 'task', { id, name, user_id, created_at }: Given) {
  const type = `${entity}.assigned`
  const data: Envelope = {
    ...{ schema_version: SCHEMA_VERSION, type, category: entity === 'lead' ? 'crm' : 'tasks' },
    ...{ title: `${entity === 'lead' ? 'Lead' : 'Task'} assigned to you`, body: `You were assigned the ${entity} ${name}.` },
    ...{ entity_type: entity, entity_id: id, actor_id: null, metadata: {}, source: 'assign' },
    route: { resource: entity, action: 'show', entity_id: id },
    dedupe_key: `${type}:${id}:${user_id}:${created_at}`,
    ...{ delivery: 'immediate', broadcast_ready: true },
  }
  return { user_id, type, data: JSON.stringify(data), dedupe_key: data.dedupe_key, created_at, updated_at: created_at }
}
