/**
 * Events between modules. Whoever does something emits; whoever must act on it listens, declared in its manifest. A listener runs
 * at once, in the transaction of the deed, when its module is entitled; what takes long it enqueues.
 */
import type { Ctx } from '../context.ts'
import { HttpError } from '../errors.ts'
import { isEntitled } from './subscriptions.ts'

/** Events by name, with what they carry. Modules add theirs by declaration merging. */
export interface Events {
  /** A record is being deleted for good: the last moment to let go of it. */
  'record.purged': { table: string; id: number }
  /** Work that goes by `ctx.batch` has ended: what was gathered of it is told. Without `of` it was an import. */
  'batch.ended': { batch_id: string; of?: 'bulk' }
  /** A setting of the workspace has another value than before. */
  'setting.changed': { key: string; value: unknown }
}

export type EventName = keyof Events & string

export interface Listener<E extends EventName = any> {
  event: E
  react(ctx: Ctx, event: Events[E]): Promise<unknown>
}

/** `export default [on('user.deleted', (ctx, { user_id }) => …)]` in a module's `listeners.ts`. */
export const on = <const E extends EventName>(event: E, react: Listener<E>['react']): Listener<E> => ({ event, react })

/**
 * Tells an event to every listener of a module that this workspace has: those of required modules before those that require them,
 * else in the alphabetical order of their modules, one after the other. One that throws undoes the whole request.
 */
export async function emit<const E extends EventName>(ctx: Ctx, event: E, carries: Events[E]): Promise<void> {
  for (const { module, listener } of await ctx.services.modules.listeners(event)) {
    if (!isEntitled(ctx, module)) continue
    try {
      await listener.react(ctx, carries)
    } catch (error) {
      if (!(error instanceof HttpError))
        ctx.log.error({ err: error, event, listener: module.key }, 'a listener failed; the request is undone')
      throw error
    }
  }
}
