/**
 * Grants: requests that create lasting access to the workspace, change who has access, or decide where its money goes. A caller
 * who acts for another user can't make them, so that nothing outlasts the session. Checked in the transaction that would write,
 * for every way to reach a route.
 */
import type { Actor, Ctx } from '../context.ts'
import { forbidden } from '../errors.ts'
import type { WorkspaceSettings } from '../names.ts'
import { refuseImpersonator } from '../tenancy/session.ts'

/** Whether a request grants: always, never, if its body has one of these fields, or if it has a granting setting. */
export type Grants = boolean | readonly string[] | 'settings'

/** Properties of a route that are needed here. */
interface Guarded {
  method: string
  spec: { grants?: Grants; writes?: true }
}

/** Whether a route can write. */
export const isWriting = ({ method, spec }: Guarded) => method !== 'GET' || spec.writes === true

/** Returns the `grants` of a workspace route; a writing route without it always grants. */
export const grantsOf = (route: Guarded): Grants => route.spec.grants ?? isWriting(route)

/** Whether a request grants; `body` is the request body, parsed or not. Without a body only routes that always grant do. */
function isGranting(route: Guarded, ctx: Pick<Ctx, 'services' | 'request'>, body?: unknown): boolean {
  const grants = grantsOf(route)
  if (typeof grants === 'boolean') return grants
  if (typeof body !== 'object' || body === null) return false
  if (grants === 'settings') return settingsIn(body).some((key) => isGrantingSetting(ctx, key))
  return grants.some((field) => (body as Record<string, unknown>)[field] !== undefined)
}

const settingsIn = (body: object) => Object.keys((body as { settings?: object }).settings ?? {})

/** A setting that only the owner may change doesn't count: others get a 422 on it anyway. For agents it counts. */
function isGrantingSetting({ services, request }: Pick<Ctx, 'services' | 'request'>, key: string): boolean {
  const setting = services.modules.settings.get(key)
  return setting?.grants === true && (!setting.ownerOnly || request.isAgent === true)
}

/** Whether the caller acts for another user: by impersonation, by `X-Workspace`, or as an agent. All others may grant. */
export const isStandIn = ({ request }: Pick<Ctx, 'request'>, { actor }: Pick<Ctx, 'actor'>) =>
  Boolean(actor.impersonator) || actor.isPlatformAccount === true || request.isAgent === true

/**
 * Throws 403 if a request grants and its caller acts for another user: AGENT_NOT_ALLOWED for an agent, IMPERSONATING during
 * impersonation, PLATFORM_ACCESS_REFUSED with `X-Workspace`. The owner may allow grants to the platform's accounts for a time
 * with the setting `platform_grants_until`.
 */
export async function assertMayGrant(ctx: Ctx, route: Guarded, body?: unknown) {
  if (!isStandIn(ctx, ctx) || !isGranting(route, ctx, body)) return
  if (ctx.request.isAgent) throw agentNotAllowed()
  if (ctx.actor.impersonator?.type === 'user') refuseImpersonator(ctx.actor)
  if (!isOpen(await ctx.setting('platform_grants_until'), ctx.services.clock.now())) throw closed(ctx.actor)
}

const isOpen = (until: WorkspaceSettings['platform_grants_until'], now: string) =>
  until !== null && Date.parse(until) > Date.parse(now)

const WHAT = 'This changes who may come in or where money goes.'
const agentNotAllowed = () => forbidden(`${WHAT} An agent can’t do it: do it in person.`, 'AGENT_NOT_ALLOWED')
const closed = ({ impersonator }: Actor) =>
  impersonator
    ? forbidden(`${WHAT} While you work as the owner, they must allow it in the settings.`, 'IMPERSONATING')
    : forbidden(`${WHAT} The owner must allow it to accounts of the platform in the settings.`, 'PLATFORM_ACCESS_REFUSED')
