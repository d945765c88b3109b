/** Work that opens its own transactions, for what must not happen inside one: network calls, hashing, object storage. */
import { type Actor, type Ctx, inWorkspace, type Origin, type Services, type Session, type Tenant } from '../context.ts'

export interface Work {
  services: Services
  tenant: Tenant
  actor: Actor
  /** The instant at which it began. */
  now: string
  read<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
  write<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

export const workOf = (origin: Origin, session: Session): Work => ({
  services: origin.services,
  tenant: session.tenant,
  actor: session.actor,
  now: origin.now,
  read: (work) => inWorkspace(origin, session, 'read', work),
  write: (work) => inWorkspace(origin, session, 'write', work),
})
