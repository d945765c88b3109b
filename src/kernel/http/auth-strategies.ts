/**
 * Auth strategies: how a request proves its identity. Most requests carry a bearer token of one of the two APIs, or nothing. A
 * module may define its own strategy for a key, a signature or a token in the path.
 * The checks run in the contract's order: credentials, suspended and verified, workspace open, module entitled, permission.
 */
import type { IncomingHttpHeaders } from 'node:http'
import {
  type Actor,
  type BaseCtx,
  inPublic,
  inWorkspace,
  missing,
  type Operator,
  type Origin,
  onPlatform,
  type PublicCtx,
  passes,
  platformAbilities,
  type Session,
  workspaceAbilities,
} from '../context.ts'
import { forbidden, unauthenticated } from '../errors.ts'
import type { Module, Modules } from '../modules/module.ts'
import { within } from '../modules/permissions.ts'
import { ACTING, platformSessionIn } from '../tenancy/platform-accounts.ts'
import {
  buildSession,
  keyNotAllowed,
  refuseClosed,
  refuseUnentitled,
  requireInPerson,
  workspaceState,
} from '../tenancy/session.ts'
import { noteNetwork, refuseNetwork } from './api-keys.ts'
import {
  readPlatformSession,
  readWorkspaceSession,
  refusalOf,
  SessionChanged,
  type SessionFacts,
  type WorkspaceFacts,
} from './bearer-token.ts'
import type { Grants } from './grants.ts'
import { isReadMethod } from './head.ts'

/** The authenticated caller, and how their work gets a transaction and a ctx. */
export interface Principal {
  /** Identity for rate limits and idempotency keys. */
  key: string
  /** For an API key: the user or service account that owns it. All keys and sessions of an owner share one rate limit. */
  holder?: string
  tenantId?: number
  /** Id of the user in the workspace or on the platform. */
  userId?: number
  guest?: unknown
  /** Properties added to the `Steps` of a multi-transaction route. */
  abilities: object
  run<T>(mode: 'read' | 'write', work: (ctx: BaseCtx) => Promise<T>): Promise<T>
  /** Checks again that the caller still has access, and throws if not. Called before any other error is reported. */
  confirm?(): Promise<void>
}

/** Access rules of a route. */
export interface AccessRules<A extends string = string> {
  /** One permission, any of several, or only a session. `anybody` on routes that need none. */
  allow: A | readonly A[] | 'signed-in'
  /** Workspace routes: works before the e-mail address is verified (account routes). */
  unverified?: true
  /** Platform routes: requires a verified e-mail address, which other platform routes don't (AUTH-18, AUTH-23). */
  verified?: true
  /** Changes the account itself: rejected during impersonation (403 IMPERSONATING) and for API keys. */
  inPerson?: true
  /** Needs a session: rejected for API keys (403 KEY_NOT_ALLOWED). */
  noKeys?: true
  /**
   * Whether a request creates lasting access, changes who has access, or decides where money goes: always, never, or only if its
   * body has one of these fields. Such requests are rejected during impersonation (see grants.ts). Every writing route of a
   * workspace declares it, or is `inPerson`.
   */
  grants?: Grants
  /** Requires no scope of an API key. */
  anyKey?: true
}

/** The parts of a request that a strategy checks. */
export interface AuthRequest {
  origin: Origin
  headers: IncomingHttpHeaders
  params: Record<string, string | number>
  query: Record<string, unknown>
  /** Bytes of the body, on routes that need them. */
  raw: Buffer
  access: AccessRules
  module: Module
}

/** Authenticates the requests of a route, and checks its access rules. */
export interface AuthStrategy<G = unknown> {
  /** The API whose users it authenticates. `public`: no account needed, or a module's own strategy. */
  api: 'workspace' | 'platform' | 'public'
  /** Documented security scheme: `bearer`, none, or a custom header. */
  scheme: 'bearer' | 'none' | { header: string; description: string }
  authenticate(request: AuthRequest): Promise<Principal> | Principal
  guest?: G
}

/** Strategy of public routes: no authentication, limits by client address. */
export const noAuth: AuthStrategy<undefined> = {
  api: 'public',
  scheme: 'none',
  authenticate: ({ origin }) => ({
    key: `ip:${origin.request.ip}`,
    abilities: {},
    run: (mode, work) => inPublic(origin, mode, work),
  }),
}

/** Authenticates a user or API key of the platform. */
export const platformUser: AuthStrategy<undefined> = {
  api: 'platform',
  scheme: 'bearer',
  async authenticate({ origin, headers, access }) {
    const session = await readPlatformSession(origin, headers.authorization)
    if (!session) throw await refusalOf(origin, headers.authorization, 'platform')
    refuseUser(session.user, access.verified)
    const { actor, permissions } = operatorFrom(session, origin.services.modules)
    const operator = { actor, permissions }
    refuseKey(access, actor, session.key, origin)
    const abilities = platformAbilities(operator)
    refusePermission(access, abilities.can as (permission: string) => boolean)
    await noteKey(session, origin, (work) => onPlatform(origin, operator, 'write', work))
    return {
      key: actor.key ? `platform-key:${actor.key.id}` : `platform:${session.user.id}`,
      holder: actor.key && `platform:${session.user.id}`,
      userId: session.user.id,
      abilities,
      run: (mode, work) => onPlatform(origin, operator, mode, work),
    }
  },
}

/**
 * Authenticates a workspace's user. The process caches the session of a token. Each transaction first checks in the database, in
 * the round trip of its first statements, whether the cached session is still valid. If not, the transaction is repeated.
 */
export const workspaceUser: AuthStrategy<undefined> = {
  api: 'workspace',
  scheme: 'bearer',
  async authenticate({ origin, headers, access, module }) {
    const slug = headers['x-workspace']
    if (slug !== undefined) return platformAccountIn(origin, headers, String(slug), access, module)
    const judge = (facts: WorkspaceFacts) => sessionOf(origin, facts, access, module)
    const read = async (fresh: boolean) => {
      const found = await readWorkspaceSession(origin, headers.authorization, fresh)
      if (!found) throw await refusalOf(origin, headers.authorization, 'workspace')
      return found
    }
    let remembered = await read(false)
    let session: Session
    try {
      session = judge(remembered.facts)
    } catch (error) {
      if (remembered.fresh) throw error
      remembered = await read(true)
      session = judge(remembered.facts)
    }
    const { tenant, actor } = session
    await noteKey(remembered.facts, origin, (work) => inWorkspace(origin, session, 'write', work))
    return {
      key: actor.key ? `key:${tenant.id}:${actor.key.id}` : `workspace:${tenant.id}:${actor.id}`,
      holder: actor.key && `workspace:${tenant.id}:${actor.id}`,
      tenantId: tenant.id,
      userId: actor.id ?? undefined,
      abilities: workspaceAbilities(origin, session),
      async run(mode, work) {
        for (let tries = 1; ; tries++)
          try {
            return await inWorkspace(origin, session, mode, work, remembered.fresh ? undefined : remembered.confirm)
          } catch (error) {
            if (!(error instanceof SessionChanged) || tries === 3) throw error
            remembered = await read(true)
            session = judge(remembered.facts)
          } finally {
            remembered.fresh = false // a later transaction of the same request validates the session again
          }
      },
      async confirm() {
        if (!remembered.fresh) judge((await read(true)).facts)
      },
    }
  },
}

/**
 * Authenticates a platform account in the workspace that X-Workspace names. Like API keys, it has no access to routes that belong
 * to a user of the workspace.
 */
async function platformAccountIn(
  origin: Origin,
  { authorization }: IncomingHttpHeaders,
  slug: string,
  access: AccessRules,
  module: Module,
): Promise<Principal> {
  const facts = await readPlatformSession(origin, authorization)
  if (!facts) throw await refusalOf(origin, authorization, 'platform')
  refuseUser(facts.user)
  const operator = operatorFrom(facts, origin.services.modules)
  if (facts.key) refuseNetwork(facts.key, origin.request.ip)
  if (!(platformAbilities(operator).can as (permission: string) => boolean)(ACTING)) throw missing(ACTING)
  const { inPerson, noKeys, anyKey, allow } = access
  if (inPerson || noKeys || (allow === 'signed-in' && !anyKey))
    throw keyNotAllowed('This belongs to a user of the workspace: an account of the platform can’t do it.')
  const { state, session } = await platformSessionIn(origin, slug, operator.actor)
  refuseClosed(state.tenant)
  refuseUnentitled(module, session.modules)
  refusePermission(access, (permission) => session.permissions.has(permission))
  await noteKey(facts, origin, (work) => onPlatform(origin, operator, 'write', work))
  const { tenant, actor } = session
  return {
    key: `platform:${facts.user.id}:${facts.key ? `key:${facts.token.id}` : ''}:${tenant.id}`,
    holder: facts.key ? `platform:${facts.user.id}::${tenant.id}` : undefined,
    tenantId: tenant.id,
    userId: actor.id!,
    abilities: workspaceAbilities(origin, session),
    run: (mode, work) => inWorkspace(origin, session, mode, work),
  }
}

/** Caller authenticated by a module's own strategy. */
export interface ExternalPrincipal<G> {
  tenantId: number
  actor: Actor
  /** Identity for rate limits and idempotency keys: `endpoint:7`. */
  key: string
  guest: G
}

/**
 * Strategy of a module's own. `admit` checks the credentials (401, 404) and returns the principal. Then the workspace (403 when
 * it is closed) and the module's entitlement (403) are checked. Reads within `admit` use the platform's role.
 */
export const externalAuth = <G>(spec: {
  scheme: AuthStrategy['scheme']
  admit(request: AuthRequest & { read<T>(work: (ctx: PublicCtx) => Promise<T>): Promise<T> }): Promise<ExternalPrincipal<G>>
}): AuthStrategy<G> => ({
  api: 'public',
  scheme: spec.scheme,
  async authenticate(request) {
    const { origin, module } = request
    const { tenantId, actor, key, guest } = await spec.admit({ ...request, read: (work) => inPublic(origin, 'read', work) })
    const state = await inPublic(origin, 'read', ({ tx }) => workspaceState(tx, tenantId))
    if (!state) throw unauthenticated()
    refuseClosed(state.tenant)
    refuseUnentitled(module, state.modules)
    const session = buildSession(origin.services.modules, state, actor)
    return {
      key,
      tenantId,
      guest,
      abilities: workspaceAbilities(origin, session),
      run: (mode, work) => inWorkspace(origin, session, mode, work),
    }
  },
})

function sessionOf(origin: Origin, facts: WorkspaceFacts, access: AccessRules, module: Module): Session {
  refuseClosed(facts.tenant)
  refuseUser(facts.user, !access.unverified)
  const session = sessions.getOrInsertComputed(facts, () => sessionFrom(facts, origin.services.modules))
  const { actor, permissions, modules } = session
  refuseKey(access, actor, facts.key, origin)
  refuseUnentitled(module, modules)
  if (access.inPerson) requireInPerson(actor)
  refusePermission(access, (permission) => passes(actor, actor.isOwner, permissions, permission))
  return session
}

/**
 * Throws 403 for a key used from a network that isn't allowed, and on routes that need a session (KEY_NOT_ALLOWED). Routes open
 * to every signed-in user, such as reading notifications, need the scope `read`, or `*` for writes.
 */
function refuseKey(
  { allow, inPerson, noKeys, anyKey }: AccessRules,
  { key }: Actor,
  facts: SessionFacts['key'],
  { request }: Origin,
) {
  if (!key || !facts) return
  refuseNetwork(facts, request.ip)
  if (inPerson || noKeys) throw keyNotAllowed()
  if (allow !== 'signed-in' || anyKey || key.scopes.includes('*')) return
  const scope = isReadMethod(request.method) ? 'read' : '*'
  if (!key.scopes.includes(scope)) throw forbidden(`This needs a key with the scope ${scope}.`)
}

type WriteAs = Parameters<typeof noteNetwork>[2]

async function noteKey({ key, token }: SessionFacts, { request }: Origin, write: WriteAs) {
  if (key) await noteNetwork(key, { id: token.id, ip: request.ip }, write)
}

/** Sessions built from cached facts, shared by all requests with the same token. */
const sessions = new WeakMap<WorkspaceFacts, Session>()

function sessionFrom(facts: WorkspaceFacts, declared: Modules): Session {
  const { tenant, modules, kinds, permissions, key, user } = facts
  // The owner's session passes every check without a permission list. Leaving it out saves memory: thousands of sessions are
  // cached.
  const kind = user.is_owner ? key && ('owner' as const) : kinds.includes('admin') ? ('admin' as const) : null
  const held = { kind: kind ?? null, permissions: kind ? [] : permissions }
  return buildSession(declared, { tenant, modules: new Set(modules) }, actorOf(facts), [held])
}

function operatorFrom(facts: SessionFacts, declared: Modules): Operator {
  const actor = actorOf(facts)
  const every = () => declared.permissions('platform').map(({ name }) => name)
  if (!actor.key) return { actor, permissions: new Set(facts.permissions) }
  return { actor, permissions: within(actor.key.scopes, actor.roles.includes('superadmin') ? every() : facts.permissions) }
}

function refuseUser(user: SessionFacts['user'], mustBeVerified = false) {
  if (user.suspended) throw forbidden('This account is suspended.', 'USER_SUSPENDED')
  if (mustBeVerified && !user.verified) throw forbidden('Verify your e-mail address first.', 'EMAIL_NOT_VERIFIED')
}

function refusePermission({ allow }: AccessRules, can: (permission: string) => boolean) {
  if (allow === 'signed-in') return
  const any = [allow].flat()
  if (!any.some(can)) throw missing(any.join(' or '))
}

const actorOf = ({ user, roles, token, key, impersonator = null }: SessionFacts): Actor => ({
  id: user.id,
  name: user.name,
  email: user.email,
  isOwner: user.is_owner ?? false,
  roles,
  token: key ? null : { id: token.id, name: token.name },
  ...(key ? { key: { id: token.id, name: token.name, scopes: key.scopes } } : {}),
  impersonator,
})
