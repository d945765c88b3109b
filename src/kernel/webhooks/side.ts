/**
 * Webhooks have two sides: programs of a workspace are told of what happens in it, programs of the operator of what happens on the platform. Both
 * have the same tables, where the platform is workspace 0, and the same machine; each side has a feed of its own.
 */
import {
  type Actor,
  type BaseCtx,
  type Ctx,
  inWorkspace,
  onPlatform,
  originOf,
  type PlatformCtx,
  type PlatformSteps,
  type Services,
  systemOperator,
  type WorkspaceSteps,
  workspaceCtx,
} from '../context.ts'
import { sessionFor } from '../jobs/entering.ts'
import type { Ended } from '../jobs/job.ts'
import type { EventType } from '../records/event-types.ts'
import type { Row } from '../records/resource.ts'

export type Side = 'workspace' | 'platform'

/** An event, as far as it matters for telling it. */
export interface FeedEvent {
  id: number
  type: string
  occurred_at: string
}

/** What a side tells of. */
export interface Feed {
  /** Asked when all routes are loaded. */
  types(): EventType[]
  /** Gives what has happened its place, and answers the range of ids that can be read. */
  place(ctx: Ctx): Promise<{ floor: number; last: number }>
  /** Events behind one, as far as the reader may see them, of what both lists of types name; what is no longer kept is passed over. */
  read(
    ctx: Ctx,
    query: { after: number; types?: string[]; within?: string[]; limit: number },
  ): Promise<{ data: FeedEvent[]; meta: { next_after: number; has_more: boolean } }>
  /** The ids between which the events of a time are, and how many these are. */
  between(ctx: Ctx, from: string, to: string): Promise<{ first: number | null; last: number | null; events: number }>
  /**
   * Makes of a ctx of the side that of whoever made an endpoint, in the same transaction: they see what they may at this moment, as far as the key reaches
   * by which they made it. Or why they may nothing any more.
   */
  maker(services: Services, endpoint: EndpointMaker): Promise<((ctx: Ctx) => Ctx) | Ended>
}

/** By whom an endpoint was made. */
export type EndpointMaker = Pick<Row<'webhook_endpoints'>, 'tenant_id' | 'user_id' | 'key_id'>

const PLATFORM = { id: 0, slug: '', name: '', timezone: 'UTC', currency: '', locale: '' }

/** The ctx in which a side's endpoints are found: the workspace's own, or the platform's as that of workspace 0. */
export function sideCtx(ctx: Ctx | PlatformCtx): Ctx {
  if ('tenant' in ctx) return ctx
  const { actor, can, require } = ctx
  const session = { tenant: PLATFORM, actor, permissions: new Set<string>(), modules: new Set<string>() }
  return { ...workspaceCtx(ctx, session), can: can as Ctx['can'], require: require as Ctx['require'] }
}

export type SideSteps = Pick<WorkspaceSteps, 'services' | 'read' | 'write' | 'finish'>

/** The steps of a route, each with such a ctx. */
export const sideSteps = (steps: WorkspaceSteps | PlatformSteps): SideSteps => {
  const { services, read, write, finish } = steps as PlatformSteps
  return {
    services,
    read: (work) => read((ctx) => work(sideCtx(ctx))),
    write: (work) => write((ctx) => work(sideCtx(ctx))),
    finish: (work) => finish((ctx) => work(sideCtx(ctx))),
  }
}

/** Whether somebody is above all others of their side: the owner of the workspace, a superadmin of the platform, in person. */
export const isChief = ({ actor, role }: { actor: Actor; role: BaseCtx['role'] }) =>
  !actor.key && !actor.impersonator && (role === 'app_platform' ? actor.roles.includes('superadmin') : actor.isOwner)

/** Opens a side for work of the system, in a transaction of its own. */
export type Transact = <T>(mode: 'read' | 'write', work: (ctx: Ctx) => Promise<T>) => Promise<T>

/** Undefined for a workspace that is closed. */
export async function systemTransactions(services: Services, tenantId: number): Promise<Transact | undefined> {
  const origin = originOf(services)
  if (tenantId === PLATFORM.id) return (mode, work) => onPlatform(origin, systemOperator, mode, (ctx) => work(sideCtx(ctx)))
  const session = await sessionFor(services, { tenant_id: tenantId }, undefined)
  return 'ended' in session ? undefined : (mode, work) => inWorkspace(origin, session, mode, work)
}
