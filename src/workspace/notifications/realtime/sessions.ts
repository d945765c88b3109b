/** Whether the sessions behind subscriptions still hold. Everything that ends a request ends a subscription too. */
import type { Services } from '#kernel/context.ts'
import type { WorkspaceFacts } from '#kernel/http/bearer-token.ts'

/** A session that was judged before; `version` stands for what it was then. */
export interface Held {
  tokenId: number
  version?: string
}

interface Live {
  version: string
  /** Told where it was judged anew. */
  tenantId?: number
  userId?: number
}

/**
 * Those of these sessions that hold, by their token's id: not revoked or expired, its user verified and not suspended, its workspace
 * open. One statement for all of them; where nothing has changed it says little.
 */
export async function liveSessions({ database, clock }: Services, held: Held[]): Promise<Map<number, Live>> {
  if (!held.length) return new Map()
  const rows = await database.statement<{ id: number; session: WorkspaceFacts | null }>(
    'SELECT k.id, app.workspace_session(k.id, k.version) AS session FROM unnest($1::bigint[], $2::text[]) AS k(id, version)',
    [held.map(({ tokenId }) => tokenId), held.map(({ version }) => version ?? null)],
  )
  const now = clock.now()
  const live = rows.flatMap(({ id, session }): [number, Live][] => {
    if (!session || session.token.expires_at <= now || !isOpen(session)) return []
    return [[id, { version: session.version, tenantId: session.tenant?.id, userId: session.user?.id }]]
  })
  return new Map(live)
}

/** A session of a known version comes without its user and workspace: they are what they were. */
const isOpen = ({ user, tenant }: Partial<WorkspaceFacts>) =>
  (!user || (user.verified && !user.suspended)) && (!tenant || (tenant.status === 'active' && !tenant.archived))
