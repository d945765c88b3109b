/** Notifications: the list of a user with fifty a day, and a thousand open clients. */
import { sql } from 'kysely'
import { aims, type Case, type Filled, type Suite } from '../prepare.ts'
import { measureSockets } from '../sockets.ts'

const notifications = '/api/tenant/v1/notifications'
const SOCKETS = 1000
let firm: Filled

export default {
  title: 'Notifications',
  async cases({ services, workspace, caseOf }, records): Promise<Case[]> {
    firm = await workspace(300, SOCKETS)
    const own = records / 10
    await fill(firm, own)
    await services.database.statement('VACUUM (ANALYZE)', [])
    const many = own.toLocaleString('en')
    return [
      { ...(await caseOf('list', `list of 25 among one’s own ${many}`, firm.token, notifications)), atLeast: aims.list },
      await caseOf('unread', 'list of the unread ones', firm.token, `${notifications}?status=unread`),
      await caseOf('count', 'how many are unread', firm.token, `${notifications}/unread-count`),
    ]
  },
  figures: (stage, base) => measureSockets({ ...firm, inside: (work) => stage.inside(firm.id, work) }, base),
} satisfies Suite

/** Inserts notifications of the owner; one in a hundred is unread. */
const fill = ({ id, inside }: Filled, own: number) =>
  inside((ctx) =>
    sql`
      insert into notifications (tenant_id, user_id, type, data, dedupe_key, read_at, created_at, updated_at)
      select ${id}, (select id from users where tenant_id = ${id} and is_owner), 'task.assigned',
        json_build_object('schema_version', 1, 'type', 'task.assigned', 'category', 'tasks', 'title', 'Task assigned to you', 'body', 'You were assigned the task ' || n,
          'entity_type', 'task', 'entity_id', n, 'actor_id', null, 'metadata', json_build_object(), 'dedupe_key', 'filled:' || n, 'source', 'assign',
          'route', json_build_object('resource', 'task', 'action', 'show', 'entity_id', n), 'delivery', 'immediate', 'broadcast_ready', true),
        'filled:' || n, case when n % 100 > 0 then ${ctx.now}::timestamptz end,
        ${ctx.now}::timestamptz - n * interval '1 minute', ${ctx.now}::timestamptz
      from generate_series(1, ${own}::int) n`.execute(ctx.tx),
  )
