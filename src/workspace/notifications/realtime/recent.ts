/** What was written while this process may have heard nothing of it. Clients know a notification by its id, and take it once. */
import type { Services } from '#kernel/context.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { userOf } from './application.ts'

/** Longer than a process takes to notice that it hears nothing, and to listen again. */
const SECONDS = 180
/** Of one workspace: more than these, clients read in the list. */
const MAX = 1000

/** Notifications of the last minutes for the users of these channels, the oldest first. */
export async function recentOf({ database, clock }: Services, channels: Iterable<string>) {
  const since = plusSeconds(clock.now(), -SECONDS)
  const users = Map.groupBy(
    [...channels].flatMap((channel) => userOf(channel) ?? []),
    ({ tenantId }) => tenantId,
  )
  const found: { tenant_id: number; user_id: number; id: string }[] = []
  for (const [tenantId, those] of users)
    found.push(
      ...(await database.workspace(tenantId, 'read', (tx) =>
        tx
          .selectFrom('notifications')
          .select(['tenant_id', 'user_id', 'id'])
          .where('tenant_id', '=', tenantId)
          .where(
            'user_id',
            'in',
            those.map(({ userId }) => userId),
          )
          .where('created_at', '>', since)
          .orderBy('created_at')
          .limit(MAX)
          .execute(),
      )),
    )
  return found
}
