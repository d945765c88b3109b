/**
 * Grants: requests that make a lasting way into the workspace, change who may come in, or decide where its money goes. Somebody who works for
 * another makes none, so that nothing outlasts the session: checked in the transaction that would write, through every door that a route has.
 */
import type { Actor, Ctx } from '../context.ts'
import { forbidden } from '../errors.ts'
import type { WorkspaceSettings } from '../names.ts'
import { refuseImpersonator } from '../tenancy/session.ts'

/** Whether a request grants: each, none, those whose body has one of these fields, or one of the settings that grant. */
export type Grants = boolean | readonly string[] | 'settings'

/** A route, as far as it matters here. */
interface Guarded {
  method: string
  spec: { grants?: Grants; writes?: true }
}

/** Whether a route can write. */
export const isWriting = ({ method, spec }: Guarded) => method !== 'GET' || spec.writes === true

/** The mark of a route of the workspace API; a writing one that has none grants. */
export const grantsOf = (route: Guarded): Grants => route.spec.grants ?? isWriting(route)

/** Whether a request grants; `body` is what was sent, parsed or not. Without one only a route that always grants does. */
function isGranting(route: Guarded, ctx: Pick<Ctx, 'services' | 'request'>, body?: unknown): boolean {
  const grants = grantsOf(route)
  if (typeof grants === 'boolean') return grants
  if (typeof body !== 'object' || body === null) return false
  if (grants === 'settings') return settingsIn(body).some((key) => isGrantingSetting(ctx, key))
  return grants.some((field) => (body as Record<string, unknown>)[field] !== undefined)
}

const settingsIn = (body: object) => Object.keys((body as { settings?: object }).settings ?? {})

/** What only the owner in person may change is refused to others as it is: a 422 on the setting. */
function isGrantingSetting({ services, request }: Pick<Ctx, 'services' | 'request'>, key: string): boolean {
  const setting = services.modules.settings.get(key)
  return setting?.grants === true && (!setting.ownerOnly || request.isAgent === true)
}

/** Whether somebody works for another: as that user, by `X-Workspace`, or through an agent. Everybody else may grant. */
export const isStandIn = ({ request }: Pick<Ctx, 'request'>, { actor }: Pick<Ctx, 'actor'>) =>
  Boolean(actor.impersonator) || actor.isPlatformAccount === true || request.isAgent === true

/**
 * 403 where a request grants and its caller works for another: AGENT_NOT_ALLOWED through an agent, IMPERSONATING as another user,
 * PLATFORM_ACCESS_REFUSED by `X-Workspace`. The owner may open the latter two to the platform, by the setting `platform_grants_until`.
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
