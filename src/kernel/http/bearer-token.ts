/** What a bearer token stands for. The database answers in one statement; a process remembers the answer with its version. */
import QuickLRU from 'quick-lru'
import type { Actor, Origin, Services, Tenant } from '../context.ts'
import type { Ask, Database } from '../database/connect.ts'
import { unauthenticated } from '../errors.ts'
import { sameBytes, sha256 } from '../secrets/secrets.ts'

interface TokenFacts {
  id: number
  name: string
  hash: string
  expires_at: string
  last_used_at: string
}

export interface SessionFacts {
  token: TokenFacts
  user: { id: number; name: string; email: string; is_owner?: boolean; verified: boolean; suspended: boolean }
  /** Who works as this user. The session ends with their right to it. */
  impersonator?: Actor['impersonator']
  roles: string[]
  permissions: string[]
}

export type WorkspaceFacts = SessionFacts & {
  /** Changes with everything that these facts tell: roles, permissions, modules, users, the workspace. */
  version: string
  tenant: Tenant & { status: string; archived: boolean }
  /** Which of the seeded roles: owner, admin, member. */
  kinds: string[]
  modules: string[]
}

/** The remembered session is not what the database has. */
export class SessionChanged extends Error {}

/** Sessions that a process remembers at most: some 5 KB each. */
const MAX_REMEMBERED = 5000
const remembered = new WeakMap<Services, QuickLRU<string, WorkspaceFacts>>()

interface Found {
  facts: WorkspaceFacts
  /** Just read, not remembered. */
  fresh: boolean
  /** The first statement of a transaction: throws SessionChanged unless the session is still what it was. */
  confirm(ask: Ask): Promise<void>
}

/** The session of a workspace's token; undefined for none, a wrong or an expired one. */
export async function readWorkspaceSession(
  origin: Origin,
  header: string | undefined,
  fresh: boolean,
): Promise<Found | undefined> {
  const { services, now } = origin
  const bearer = bearerOf(header)
  if (!bearer) return undefined
  const { id, digest } = bearer
  let cache = remembered.get(services)
  if (!cache) remembered.set(services, (cache = new QuickLRU({ maxSize: MAX_REMEMBERED })))
  const key = `${id} ${digest.toString('base64')}`
  const known = fresh ? undefined : cache.get(key)
  const facts =
    known ?? (await lookUp<WorkspaceFacts>(services.database, 'SELECT app.workspace_session($1, NULL) AS session', bearer))
  const stillOpen = (token: Pick<TokenFacts, 'expires_at' | 'last_used_at'>) => {
    if (token.expires_at <= now) return false
    touch(services.database, id, token.last_used_at, now)
    return true
  }
  if (!facts || (!known && !stillOpen(facts.token))) {
    cache.delete(key)
    return undefined
  }
  if (!known) cache.set(key, facts)
  return {
    facts,
    fresh: !known,
    async confirm(ask) {
      const now = await (isPlatforms(facts) ? askWhole : askRevision)(ask, id, facts.version)
      if (now?.version === facts.version && stillOpen(now)) return
      cache.delete(key)
      throw new SessionChanged()
    },
  }
}

type Revision = { version: string } & Pick<TokenFacts, 'expires_at' | 'last_used_at'>

async function askRevision(ask: Ask, id: number): Promise<Revision | undefined> {
  const [row] = await ask<Revision>(
    'SELECT revision::text AS version, expires_at, last_used_at FROM app.session_revisions WHERE token = $1',
    [id],
  )
  return row
}

/** An operator's right to work as somebody is none of the workspace's, so that its revision doesn't tell of it. */
const isPlatforms = ({ impersonator }: WorkspaceFacts) => impersonator?.type === 'platform_user'

async function askWhole(ask: Ask, id: number, known: string): Promise<Revision | undefined> {
  const text = 'SELECT app.workspace_session($1, $2) AS session'
  const [row] = await ask<{ session: WorkspaceFacts | null }>(text, [id, known])
  return row?.session ? { version: row.session.version, ...row.session.token } : undefined
}

/** The session of a platform's token; undefined for none, a wrong or an expired one. */
export async function readPlatformSession(
  { services, now }: Origin,
  header: string | undefined,
): Promise<SessionFacts | undefined> {
  const bearer = bearerOf(header)
  const facts = bearer && (await lookUp<SessionFacts>(services.database, 'SELECT app.platform_session($1) AS session', bearer))
  if (!facts || facts.token.expires_at <= now) return undefined
  touch(services.database, facts.token.id, facts.token.last_used_at, now)
  return facts
}

/** Why a request has no session, as RFC 6750 has it told: none was sent, or what is wrong with the token. */
export async function refusalOf({ services, now }: Origin, header: string | undefined, api: 'workspace' | 'platform') {
  const bearer = bearerOf(header)
  const wrong = header === undefined ? undefined : bearer ? await whyRefused(services, now, bearer, api) : MALFORMED
  const error = wrong ? `, error="invalid_token", error_description="${wrong}"` : ''
  return unauthenticated(wrong ?? 'Sign in first: no bearer token was sent.', {
    'www-authenticate': `Bearer realm="${api}"${error}`,
  })
}

const MALFORMED = 'The Authorization header must be Bearer, a space, and the token as it was given.'

/** To whoever holds the token's secret it is told what became of it. */
async function whyRefused({ database }: Services, now: string, { id, digest }: Bearer, api: 'workspace' | 'platform') {
  const token = await database.platform('read', (tx) =>
    tx.selectFrom('access_tokens').select(['tenant_id', 'secret_hash', 'expires_at']).where('id', '=', id).executeTakeFirst(),
  )
  if (!token || !sameBytes(digest, token.secret_hash)) return 'This token is unknown, or its session was ended.'
  const owner = token.tenant_id === null ? 'platform' : 'workspace'
  if (owner !== api) return `This token is of the ${owner} API, not of the ${api} API.`
  return token.expires_at <= now ? `This token expired at ${token.expires_at}.` : 'The session of this token has ended.'
}

interface Bearer {
  id: number
  digest: Buffer
}

function bearerOf(header: string | undefined): Bearer | undefined {
  const [, id, secret] = /^Bearer (\d{1,15})\|(\S{1,200})$/i.exec(header ?? '') ?? []
  return id && secret ? { id: Number(id), digest: sha256(secret) } : undefined
}

async function lookUp<S extends SessionFacts>(database: Database, query: string, { id, digest }: Bearer) {
  const [row] = await database.statement<{ session: S | null }>(query, [id])
  const session = row?.session
  return session && sameBytes(digest, Buffer.from(session.token.hash, 'hex')) ? session : undefined
}

const MINUTE = 60_000

/** "Last used" is a hint for the list of sessions, to the minute: it never holds up a request. */
function touch(database: Database, id: number, lastUsed: string, now: string) {
  if (Date.parse(now) - Date.parse(lastUsed) <= MINUTE) return
  database
    .platform('write', (tx) => tx.updateTable('access_tokens').set({ last_used_at: now }).where('id', '=', id).execute())
    .catch(() => {})
}
