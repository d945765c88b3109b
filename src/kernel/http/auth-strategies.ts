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
  type Origin,
  onPlatform,
  type PublicCtx,
  platformAbilities,
  type Session,
  workspaceAbilities,
} from '../context.ts'
import { forbidden, unauthenticated } from '../errors.ts'
import type { Module, Modules } from '../modules/module.ts'
import { buildSession, refuseClosed, refuseImpersonating, refuseUnentitled, workspaceState } from '../tenancy/session.ts'
import {
  readPlatformSession,
  readWorkspaceSession,
  refusalOf,
  SessionChanged,
  type SessionFacts,
  type WorkspaceFacts,
} from './bearer-token.ts'

/** Who acts, and how their work gets a transaction and a ctx. */
export interface Principal {
  /** Whose limits and idempotency keys these are. */
  key: string
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
  /** Changes the account itself: refused to whoever works as somebody else (403 IMPERSONATING). */
  notImpersonating?: true
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
    const operator = { actor: actorOf(session), permissions: new Set(session.permissions) }
    const abilities = platformAbilities(operator)
    refusePermission(access, abilities.can as (permission: string) => boolean)
    return {
      key: `platform:${session.user.id}`,
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
    return {
      key: `workspace:${tenant.id}:${actor.id}`,
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
  refuseUnentitled(module, modules)
  if (access.notImpersonating) refuseImpersonating(actor)
  refusePermission(access, (permission) => actor.isOwner || permissions.has(permission))
  return session
}

/** Made once of what is remembered, for all the requests that come with it. */
const sessions = new WeakMap<WorkspaceFacts, Session>()

function sessionFrom(facts: WorkspaceFacts, declared: Modules): Session {
  const { tenant, modules, kinds, permissions } = facts
  const held = kinds.includes('admin') ? { kind: 'admin' as const, permissions: [] } : { kind: null, permissions }
  return buildSession(declared, { tenant, modules: new Set(modules) }, actorOf(facts), [held])
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

const actorOf = ({ user, roles, token, impersonator = null }: SessionFacts): Actor => ({
  id: user.id,
  name: user.name,
  email: user.email,
  isOwner: user.is_owner ?? false,
  roles,
  token: { id: token.id, name: token.name },
  impersonator,
})
