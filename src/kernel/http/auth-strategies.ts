/**
 * Auth strategies: how a request says who it is. Most carry a bearer token of one of the two APIs, or nothing; a module may have a strategy of
 * its own for a key, a signature or a token in the path. The checks run in the contract's order: credentials,
 * suspended and verified, workspace open, module entitled, permission.
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

/** Who acts, and how their work gets a transaction and a ctx. */
export interface Principal {
  /** Whose limits and idempotency keys these are. */
  key: string
  /** Of an API key: the person or service account that it belongs to, whose limits all their keys and sessions share. */
  holder?: string
  tenantId?: number
  /** Of the workspace or of the platform. */
  userId?: number
  guest?: unknown
  /** What a route in steps is given besides its transactions. */
  abilities: object
  run<T>(mode: 'read' | 'write', work: (ctx: BaseCtx) => Promise<T>): Promise<T>
  /** Throws when they may not ask after all: before anything else that went wrong is told. */
  confirm?(): Promise<void>
}

/** Who may come by a route. */
export interface AccessRules<A extends string = string> {
  /** A permission, any of several, or just a session. `anybody` on routes that need none. */
  allow: A | readonly A[] | 'signed-in'
  /** In a workspace: works before the address is verified (account routes). */
  unverified?: true
  /** On the platform: works only with a verified address, which its other routes don't ask for (AUTH-18, AUTH-23). */
  verified?: true
  /** Changes the account itself: refused to whoever works as somebody else (403 IMPERSONATING), and to API keys. */
  inPerson?: true
  /** Needs a session: refused to API keys (403 KEY_NOT_ALLOWED). */
  noKeys?: true
  /**
   * Whether a request makes a lasting way in, changes who may come in, or decides where money goes: always, never, or where its body has one of
   * these fields. Refused to whoever works for another (see grants.ts). Each writing route of a workspace says so, or is `inPerson`.
   */
  grants?: Grants
  /** Asks for no scope of an API key. */
  anyKey?: true
}

/** What a strategy judges a request by. */
export interface AuthRequest {
  origin: Origin
  headers: IncomingHttpHeaders
  params: Record<string, string | number>
  query: Record<string, unknown>
  /** The body's bytes, on routes that ask for them. */
  raw: Buffer
  access: AccessRules
  module: Module
}

export interface AuthStrategy<G = unknown> {
  /** Whose users it authenticates: `public` for everybody and for a module's own. */
  api: 'workspace' | 'platform' | 'public'
  /** In the API documents: `bearer`, none, or a header of its own. */
  scheme: 'bearer' | 'none' | { header: string; description: string }
  authenticate(request: AuthRequest): Promise<Principal> | Principal
  guest?: G
}

export const noAuth: AuthStrategy<undefined> = {
  api: 'public',
  scheme: 'none',
  authenticate: ({ origin }) => ({
    key: `ip:${origin.request.ip}`,
    abilities: {},
    run: (mode, work) => inPublic(origin, mode, work),
  }),
}

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
 * A workspace's user. What a token stands for is remembered by this process; each transaction begins by asking the database
 * whether it still holds, in the same trip as its first statements, and is done again when it doesn't.
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
            remembered.fresh = false // a later transaction of the same request asks again
          }
      },
      async confirm() {
        if (!remembered.fresh) judge((await read(true)).facts)
      },
    }
  },
}

/**
 * An account of the platform in a workspace that X-Workspace names: refused what belongs to a person of the workspace, as keys are.
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

/** Whom a strategy of a module's own has authenticated: in which workspace, as whom. */
export interface ExternalPrincipal<G> {
  tenantId: number
  actor: Actor
  /** Whose limits and idempotency keys these are: `endpoint:7`. */
  key: string
  guest: G
}

/**
 * A strategy of a module's own. `admit` judges the credentials (401, 404) and says who it is; then come the workspace (403 when
 * it is closed) and the module's entitlement (403). Reads of `admit` have the platform's role.
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
 * 403 for a key that comes from elsewhere than it may, and to what needs a session (KEY_NOT_ALLOWED). What everybody may who is signed in,
 * such as reading their notifications, a key may by the scope `read`, or `*` where it writes.
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

/** Made once of what is remembered, for all the requests that come with it. */
const sessions = new WeakMap<WorkspaceFacts, Session>()

function sessionFrom(facts: WorkspaceFacts, declared: Modules): Session {
  const { tenant, modules, kinds, permissions, key, user } = facts
  // The owner in person passes every gate, and needs no list of them; thousands of sessions are remembered.
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
