/**
 * Events between modules: a module emits, other modules listen as declared in their manifests. A listener runs immediately, in
 * the emitter's transaction, if its module is entitled; long work must be enqueued.
 */
import type { Ctx } from '../context.ts'
import { HttpError } from '../errors.ts'
import { isEntitled } from './subscriptions.ts'

/** Events by name, with their payloads. Modules add theirs by declaration merging. */
export interface Events {
  /** A record is being purged: the last chance to remove references to it. */
  'record.purged': { table: string; id: number }
  /** A batch (`ctx.batch`) has ended: its collected notifications are sent. Without `of` it was an import. */
  'batch.ended': { batch_id: string; of?: 'bulk' }
  /** The value of a workspace's setting has changed. */
  'setting.changed': { key: string; value: unknown }
}

export type EventName = keyof Events & string

/** A listener of a module for an event. */
export interface Listener<E extends EventName = any> {
  event: E
  react(ctx: Ctx, event: Events[E]): Promise<unknown>
}

/** `export default [on('user.deleted', (ctx, { user_id }) => …)]` in a module's `listeners.ts`. */
export const on = <const E extends EventName>(event: E, react: Listener<E>['react']): Listener<E> => ({ event, react })

/**
 * Calls the listeners of all modules that the workspace has, one after the other: those of required modules before those of the
 * modules that require them, otherwise alphabetically. If one throws, the whole request is rolled back.
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
