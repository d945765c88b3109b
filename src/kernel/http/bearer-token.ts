/**
 * Resolves bearer tokens and API keys to sessions. The database answers in one statement; each process caches the result with its
 * version.
 */
import QuickLRU from 'quick-lru'
import { type Actor, inPublic, type Origin, type Services, type Tenant } from '../context.ts'
import type { Ask } from '../database/connect.ts'
import { unauthenticated } from '../errors.ts'
import { readApiKey } from '../secrets/api-key.ts'
import { sameBytes, sha256 } from '../secrets/secrets.ts'

interface TokenFacts {
  id: number
  name: string
  hash: string
  /** null: an API key that works until it is revoked. */
  expires_at: string | null
  /** null: an API key that was never used. */
  last_used_at: string | null
}

/** An API key, as the database returns it with its session. */
export interface KeyFacts {
  scopes: string[]
  /** Hash of the secret before the last rotation. */
  former_hash: string | null
  former_expires_at: string | null
  /** Hash of the secret before `former_hash`. */
  older_hash: string | null
  older_expires_at: string | null
  /** CIDR networks; empty: any network. */
  allowed_networks: string[]
  known_networks: string[]
}

/** Token, user and permissions of a session, as the database returns them. */
export interface SessionFacts {
  token: TokenFacts
  /** The API key used, if any. */
  key?: KeyFacts | null
  user: { id: number; name: string; email: string; is_owner?: boolean; verified: boolean; suspended: boolean }
  /** The account that impersonates this user. The session ends when that account loses the right to impersonate. */
  impersonator?: Actor['impersonator']
  roles: string[]
  permissions: string[]
}

/** Session of a workspace's user, with the workspace and its modules. */
export type WorkspaceFacts = SessionFacts & {
  /** Changes with everything that these facts depend on: roles, permissions, modules, users, the workspace. */
  version: string
  tenant: Tenant & { status: string; archived: boolean }
  /** Seeded roles of the user: owner, admin, member. */
  kinds: string[]
  modules: string[]
}

/** Thrown when the cached session differs from the database. */
export class SessionChanged extends Error {}

/** Maximum number of sessions cached per process; some 5 KB each. */
const MAX_REMEMBERED = 5000
const remembered = new WeakMap<Services, QuickLRU<string, WorkspaceFacts>>()

interface Found {
  facts: WorkspaceFacts
  /** Just read from the database, not from the cache. */
  fresh: boolean
  /** First statement of a transaction. Throws SessionChanged unless the session is unchanged. */
  confirm(ask: Ask): Promise<void>
}

/** Returns the session of a workspace's token; undefined if the token is missing, wrong or expired. */
export async function readWorkspaceSession(
  origin: Origin,
  header: string | undefined,
  fresh: boolean,
): Promise<Found | undefined> {
  const { services, now } = origin
  const bearer = bearerOf(header)
  if (!bearer) return undefined
  const { id, digest, isKey } = bearer
  let cache = remembered.get(services)
  if (!cache) remembered.set(services, (cache = new QuickLRU({ maxSize: MAX_REMEMBERED })))
  const key = `${isKey ? 'key' : 'session'} ${id} ${digest.toString('base64')}`
  const known = fresh ? undefined : cache.get(key)
  const facts = known ?? (await lookUp<WorkspaceFacts>(origin, 'SELECT app.workspace_session($1, NULL, $2) AS session', bearer))
  const stillOpen = (token: Pick<TokenFacts, 'expires_at' | 'last_used_at'>) => {
    if (hasEnded(token, now)) return false
    touch(origin, bearer, token.last_used_at)
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
      // A cluster needs the full check too: tokens and revisions are on different nodes, and the function queries one after the
      // other.
      const whole = isPlatforms(facts) || services.database.isCluster
      const now = await (whole ? askWhole : askRevision)(ask, bearer, facts.version)
      if (now?.version === facts.version && stillOpen(now) && !hasEnded(facts.token, origin.now)) return
      cache.delete(key)
      throw new SessionChanged()
    },
  }
}

type Revision = { version: string } & Pick<TokenFacts, 'expires_at' | 'last_used_at'>

async function askRevision(ask: Ask, { id, isKey }: Bearer): Promise<Revision | undefined> {
  const view = isKey ? 'app.key_revisions' : 'app.session_revisions'
  const text = `SELECT revision::text AS version, expires_at, last_used_at FROM ${view} WHERE token = $1`
  const [row] = await ask<Revision>(text, [id])
  return row
}

/** An operator's right to impersonate isn't part of the workspace, so the workspace's revision doesn't cover it. */
const isPlatforms = ({ impersonator }: WorkspaceFacts) => impersonator?.type === 'platform_user'

async function askWhole(ask: Ask, { id, isKey }: Bearer, known: string): Promise<Revision | undefined> {
  const text = 'SELECT app.workspace_session($1, $2, $3) AS session'
  const [row] = await ask<{ session: WorkspaceFacts | null }>(text, [id, known, isKey])
  return row?.session ? { version: row.session.version, ...row.session.token } : undefined
}

/** Returns the session of a platform token; undefined if the token is missing, wrong or expired. */
export async function readPlatformSession(origin: Origin, header: string | undefined): Promise<SessionFacts | undefined> {
  const bearer = bearerOf(header)
  const facts = bearer && (await lookUp<SessionFacts>(origin, 'SELECT app.platform_session($1, $2) AS session', bearer))
  if (!facts || hasEnded(facts.token, origin.now)) return undefined
  touch(origin, bearer, facts.token.last_used_at)
  return facts
}

/**
 * Returns the 401 error of a request without a session. As RFC 6750 requires, `WWW-Authenticate` has no error code if no token
 * was sent.
 */
export async function refusalOf(origin: Origin, header: string | undefined, api: 'workspace' | 'platform') {
  const bearer = bearerOf(header)
  const wrong = header === undefined ? undefined : bearer ? await whyRefused(origin, bearer, api) : MALFORMED
  const error = wrong ? `, error="invalid_token", error_description="${wrong}"` : ''
  return unauthenticated(wrong ?? 'Sign in first: no bearer token was sent.', {
    'www-authenticate': `Bearer realm="${api}"${error}`,
  })
}

const MALFORMED = 'The Authorization header must be Bearer, a space, and the token or API key as it was given.'

/**
 * Explains why a token is invalid, only to a client that has its secret. Runs with the connection share of unauthenticated
 * requests.
 */
async function whyRefused(origin: Origin, bearer: Bearer, api: 'workspace' | 'platform') {
  if (bearer.isKey) return whyKeyRefused(origin, bearer, api)
  const { id, digest } = bearer
  const token = await inPublic(origin, 'read', ({ tx }) =>
    tx.selectFrom('access_tokens').select(['tenant_id', 'secret_hash', 'expires_at']).where('id', '=', id).executeTakeFirst(),
  )
  if (!token || !sameBytes(digest, token.secret_hash)) return 'This token is unknown, or its session was ended.'
  const elsewhere = ofOther(token, api)
  if (elsewhere) return `This token is of ${elsewhere}.`
  return token.expires_at <= origin.now ? `This token expired at ${token.expires_at}.` : 'The session of this token has ended.'
}

async function whyKeyRefused(origin: Origin, { id, digest }: Bearer, api: 'workspace' | 'platform') {
  const key = await inPublic(origin, 'read', ({ tx }) =>
    tx
      .selectFrom('api_keys')
      .select(['tenant_id', 'secret_hash', 'expires_at', 'revoked_at'])
      .select(['former_hash', 'former_expires_at', 'older_hash', 'older_expires_at'])
      .where('id', '=', id)
      .executeTakeFirst(),
  )
  const former = key && formersOf(key).find(({ hash }) => sameBytes(digest, hash))
  if (!key || !(former || sameBytes(digest, key.secret_hash))) return 'This API key is unknown.'
  const elsewhere = ofOther(key, api)
  if (elsewhere) return `This API key is of ${elsewhere}.`
  if (key.revoked_at) return `This API key was revoked at ${key.revoked_at}.`
  if (key.expires_at && key.expires_at <= origin.now) return `This API key expired at ${key.expires_at}.`
  if (former) return `This API key was rotated, and its former secret stopped working at ${former.expires_at}.`
  return 'The account of this API key is gone.'
}

function ofOther({ tenant_id }: { tenant_id: number | null }, api: 'workspace' | 'platform') {
  const owner = tenant_id === null ? 'platform' : 'workspace'
  return owner === api ? undefined : `the ${owner} API, not of the ${api} API`
}

interface Bearer {
  id: number
  digest: Buffer
  /** True for API keys, whose ids are a separate sequence. */
  isKey: boolean
}

function bearerOf(header: string | undefined): Bearer | undefined {
  const [, token = ''] = /^Bearer (\S{1,220})$/i.exec(header ?? '') ?? []
  const [, id, secret] = /^(\d{1,15})\|(\S{1,200})$/.exec(token) ?? []
  if (id && secret) return { id: Number(id), digest: sha256(secret), isKey: false }
  const key = readApiKey(token)
  return key && { ...key, isKey: true }
}

/** Returns the facts of a token if its secret is right. With a key's former secret the session ends with the overlap period. */
async function lookUp<S extends SessionFacts>({ services, now }: Origin, query: string, { id, digest, isKey }: Bearer) {
  const [row] = await services.database.statement<{ session: S | null }>(query, [id, isKey])
  const session = row?.session
  if (!session) return undefined
  const { token, key } = session
  if (sameBytes(digest, Buffer.from(token.hash, 'hex'))) return session
  const former =
    key && formersOf(key).find(({ hash, expires_at }) => sameBytes(digest, Buffer.from(hash, 'hex')) && expires_at > now)
  if (!former) return undefined
  const expires_at = [former.expires_at, token.expires_at ?? '9999'].sort()[0]!
  return { ...session, token: { ...token, expires_at } }
}

interface Formers<H> {
  former_hash: H | null
  former_expires_at: string | null
  older_hash: H | null
  older_expires_at: string | null
}

/** Secrets before the last rotation, each with its expiry. */
const formersOf = <H>({ former_hash, former_expires_at, older_hash, older_expires_at }: Formers<H>) =>
  [
    { hash: former_hash, expires_at: former_expires_at },
    { hash: older_hash, expires_at: older_expires_at },
  ].filter((one): one is { hash: H; expires_at: string } => Boolean(one.hash && one.expires_at))

const hasEnded = ({ expires_at }: Pick<TokenFacts, 'expires_at'>, now: string) => expires_at !== null && expires_at <= now

const MINUTE = 60_000

/** Updates "last used" to the minute. It is only a hint in the list of sessions, so the request doesn't wait for it. */
function touch({ services, now, request }: Origin, { id, isKey }: Bearer, lastUsed: string | null) {
  if (lastUsed !== null && Date.parse(now) - Date.parse(lastUsed) <= MINUTE) return
  services.database
    .platform('write', (tx) =>
      isKey
        ? tx.updateTable('api_keys').set({ last_used_at: now, last_used_ip: request.ip }).where('id', '=', id).execute()
        : tx.updateTable('access_tokens').set({ last_used_at: now }).where('id', '=', id).execute(),
    )
    .catch(() => {})
}
