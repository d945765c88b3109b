/**
 * Scopes of webhooks: a workspace's endpoints receive its events, the operator's endpoints those of the platform. Both use the
 * same tables, with workspace 0 for the platform, and the same code. Each scope has its own feed.
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

/** Scope of webhooks: workspaces or the platform. */
export type Side = 'workspace' | 'platform'

/** Event, with the fields needed for delivery. */
export interface FeedEvent {
  id: number
  type: string
  occurred_at: string
}

/** Event feed of a scope. */
export interface Feed {
  /** Returns the event types. Call it after all routes are loaded. */
  types(): EventType[]
  /** Assigns positions to new events. Returns the range of ids that can be read. */
  place(ctx: Ctx): Promise<{ floor: number; last: number }>
  /** Returns events after a position that the reader may see and that match both lists of types. Expired events are skipped. */
  read(
    ctx: Ctx,
    query: { after: number; types?: string[]; within?: string[]; limit: number },
  ): Promise<{ data: FeedEvent[]; meta: { next_after: number; has_more: boolean } }>
  /** Returns the range of ids of a period's events, and their number. */
  between(ctx: Ctx, from: string, to: string): Promise<{ first: number | null; last: number | null; events: number }>
  /**
   * Returns a function that converts a context of the scope to one of the endpoint's creator, in the same transaction. That one
   * is limited to their current permissions and the scopes of the key the endpoint was created with. Returns the reason instead
   * if they have lost access.
   */
  maker(services: Services, endpoint: EndpointMaker): Promise<((ctx: Ctx) => Ctx) | Ended>
}

/** Creator of an endpoint. */
export type EndpointMaker = Pick<Row<'webhook_endpoints'>, 'tenant_id' | 'user_id' | 'key_id'>

const PLATFORM = { id: 0, slug: '', name: '', timezone: 'UTC', currency: '', locale: '' }

/** Returns the context of a scope's endpoints: the workspace's own, or the platform's as workspace 0. */
export function sideCtx(ctx: Ctx | PlatformCtx): Ctx {
  if ('tenant' in ctx) return ctx
  const { actor, can, require } = ctx
  const session = { tenant: PLATFORM, actor, permissions: new Set<string>(), modules: new Set<string>() }
  return { ...workspaceCtx(ctx, session), can: can as Ctx['can'], require: require as Ctx['require'] }
}

export type SideSteps = Pick<WorkspaceSteps, 'services' | 'read' | 'write' | 'finish'>

/** Converts a route's steps to use such contexts. */
export const sideSteps = (steps: WorkspaceSteps | PlatformSteps): SideSteps => {
  const { services, read, write, finish } = steps as PlatformSteps
  return {
    services,
    read: (work) => read((ctx) => work(sideCtx(ctx))),
    write: (work) => write((ctx) => work(sideCtx(ctx))),
    finish: (work) => finish((ctx) => work(sideCtx(ctx))),
  }
}

/** Returns whether an actor has full access in the scope, in person: the workspace's owner, or a superadmin of the platform. */
export const isChief = ({ actor, role }: { actor: Actor; role: BaseCtx['role'] }) =>
  !actor.key && !actor.impersonator && (role === 'app_platform' ? actor.roles.includes('superadmin') : actor.isOwner)

/** Runs the system's work on a scope in a transaction of its own. */
export type Transact = <T>(mode: 'read' | 'write', work: (ctx: Ctx) => Promise<T>) => Promise<T>

/** Returns the transactions of a scope; undefined for a closed workspace. */
export async function systemTransactions(services: Services, tenantId: number): Promise<Transact | undefined> {
  const origin = originOf(services)
  if (tenantId === PLATFORM.id) return (mode, work) => onPlatform(origin, systemOperator, mode, (ctx) => work(sideCtx(ctx)))
  const session = await sessionFor(services, { tenant_id: tenantId }, undefined)
  return 'ended' in session ? undefined : (mode, work) => inWorkspace(origin, session, mode, work)
}
