/**
 * Declarations of the platform's events. Each area declares its record types and actions, and records events in the transaction
 * of the action.
 */
import type { Actor, BaseCtx } from '#kernel/context.ts'
import type { PlatformPermission } from '#kernel/names.ts'
import type { EventType } from '#kernel/records/event-types.ts'
import { words } from '#kernel/values/words.ts'

interface Kind {
  /** Record type: `tenant`. */
  kind: string
  /** Module that records its events. */
  module: string
  /** Permission required to read its events. */
  may: PlatformPermission
  /** Actions on such records: `archived`. */
  deeds: readonly string[]
}

/** Content of an event. */
export interface Happened {
  /** Record, and its label at that time. */
  id: number
  label: string
  /** Additional ids and names; no secrets. */
  data?: Record<string, unknown>
  /** Changed fields, each with the former and the new value. */
  changed?: Record<string, [unknown, unknown]>
}

/** Declared record types of all loaded modules. */
export const kinds: Kind[] = []

/** Declares a record type. Returns a function that records events of its records. */
export function telling<const Deed extends string>(kind: Kind & { deeds: readonly Deed[] }) {
  kinds.push(kind)
  return async (ctx: BaseCtx, deed: Deed, happened: Happened[]) => {
    if (!happened.length) return
    const actor_id = 'actor' in ctx ? (ctx.actor as Actor).id : null
    await ctx.tx
      .insertInto('platform_events')
      .values(
        happened.map(({ id, label, data = {}, changed }) => ({
          kind: kind.kind,
          deed,
          subject_id: id,
          label,
          data: JSON.stringify(data),
          changed: changed ? JSON.stringify(changed) : null,
          actor_id,
          client: ctx.request.client,
          created_at: ctx.now,
        })),
      )
      .execute()
  }
}

/** Returns the event types, for the API document and for validating filters. */
export const platformEventTypes = (): EventType[] =>
  kinds.flatMap(({ kind, module, deeds }) =>
    deeds.map((deed) => ({ name: `${kind}.${deed}`, module, says: `${words(kind)}: ${words(deed)}` })),
  )
