/** Demo notifications about leads, tasks and invoices. The older half is read. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { insertAll, insertRows } from '#kernel/records/many-rows.ts'
import { type Envelope, SCHEMA_VERSION } from './envelope.ts'

/** Maximum number of records of each type with notifications. */
const MAX = 300

export default defineDemo({
  after: ['leads', 'tasks', 'invoices', 'payments'],
  async fill(ctx, plan) {
    const count = plan.share(1 / 20, { least: 12, most: MAX })
    const newest = async (query: ReturnType<typeof sql<Given>>) => (await query.execute(ctx.tx)).rows
    const leads = await newest(sql`
      select t.id, t.name, assigned_to as user_id, t.created_at as at, u.name as by_name from leads t
      join users u on u.tenant_id = t.tenant_id and u.id = t.created_by
      where t.tenant_id = ${ctx.tenant.id} and assigned_to <> t.created_by and t.deleted_at is null order by t.created_at desc, t.id desc limit ${count}`)
    const tasks = await newest(sql`
      select t.id, t.title as name, assigned_to as user_id, t.created_at as at, u.name as by_name from tasks t
      join users u on u.tenant_id = t.tenant_id and u.id = t.created_by
      where t.tenant_id = ${ctx.tenant.id} and assigned_to <> t.created_by and t.deleted_at is null order by t.created_at desc, t.id desc limit ${count}`)
    const paid = await newest(sql`
      select id, number as name, assigned_to as user_id, updated_at as at, null as by_name from invoices
      where tenant_id = ${ctx.tenant.id} and assigned_to is not null and status = 'paid' order by updated_at desc, id desc limit ${count}`)
    const rows = [
      ...leads.map((one) => told(kinds.lead, one)),
      ...tasks.map((one) => told(kinds.task, one)),
      ...paid.map((one) => told(kinds.invoice, one)),
    ].toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
    const read = rows.map((row, n) => ({ ...row, read_at: n < rows.length / 2 ? row.created_at : null }))
    await insertAll(ctx, 'notifications', read)
    await setPreferences(ctx, plan)
    return rows.length
  },
})

interface Given {
  id: number
  name: string
  user_id: number
  at: string
  /** Name of the assigning user. */
  by_name: string | null
}

type Kind = Pick<Envelope, 'type' | 'category' | 'title' | 'source'> & {
  entity: 'lead' | 'task' | 'invoice'
  body: (name: string, by: string | null) => string
}

const kinds = {
  lead: {
    ...{ type: 'lead.assigned', category: 'crm', title: 'Lead assigned to you', source: 'assign', entity: 'lead' },
    body: (name, by) => `${by} assigned you the lead ${name}.`,
  },
  task: {
    ...{ type: 'task.assigned', category: 'tasks', title: 'Task assigned to you', source: 'assign', entity: 'task' },
    body: (name, by) => `${by} assigned you the task ${name}.`,
  },
  invoice: {
    ...{ type: 'invoice.paid', category: 'billing', title: 'Invoice paid', source: 'system', entity: 'invoice' },
    body: (name) => `Invoice ${name} was paid.`,
  },
} satisfies Record<string, Kind>

function told({ type, category, title, source, entity, body }: Kind, { id, name, user_id, at, by_name }: Given) {
  const data: Envelope = {
    ...{ schema_version: SCHEMA_VERSION, type, category, title, body: body(name, by_name) },
    ...{ entity_type: entity, entity_id: id, actor_id: null, metadata: {}, source },
    route: { resource: entity, action: 'show', entity_id: id },
    dedupe_key: `${type}:${id}:${user_id}:${at}`,
    ...{ delivery: 'immediate', broadcast_ready: true },
  }
  return { user_id, type, data: data as never, dedupe_key: data.dedupe_key, created_at: at, updated_at: at }
}

/** Creates preferences and devices of some users. */
async function setPreferences(ctx: Ctx, { people, calendar, faker }: Plan) {
  const at = calendar.instant(calendar.days - 20)!
  const some = people.slice(0, 3)
  await insertAll(
    ctx,
    'notification_preferences',
    some.map(({ id }, n) => ({ user_id: id, type: 'task.assigned', push: n !== 1, mail: false, updated_at: at })),
  )
  await insertRows(
    ctx,
    'fcm_device_tokens',
    some.map(({ id, name }, n) => ({
      ...{ user_id: id, token: `demo-${ctx.tenant.id}-${faker.string.alphanumeric(40)}`, created_at: at, updated_at: at },
      ...{
        platform: (['ios', 'android', 'web'] as const)[n]!,
        device_name: `${name.split(' ')[0]}: ${['iPhone', 'Pixel', 'Firefox'][n]}`,
      },
    })),
  )
}
