/** What the platform tells of: each area declares its kinds of record and what happens to them, and tells it in the transaction of the deed. */
import type { Actor, BaseCtx } from '#kernel/context.ts'
import type { PlatformPermission } from '#kernel/names.ts'
import type { EventType } from '#kernel/records/event-types.ts'
import { words } from '#kernel/values/words.ts'

interface Kind {
  /** The kind of record: `tenant`. */
  kind: string
  /** The area that tells of it. */
  module: string
  /** What one must be allowed to be told of it. */
  may: PlatformPermission
  /** What happens to such records: `archived`. */
  deeds: readonly string[]
}

export interface Happened {
  /** The record that it happened to, and how it is called. */
  id: number
  label: string
  /** More about it: ids and names, no secrets. */
  data?: Record<string, unknown>
  /** By field, the former value and the new one. */
  changed?: Record<string, [unknown, unknown]>
}

/** Those of all areas that are loaded. */
export const kinds: Kind[] = []

/** Declares a kind of record, and gives what tells that something happened to some of them. */
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

/** The types of event, for the API document and for whoever asks for some. */
export const platformEventTypes = (): EventType[] =>
  kinds.flatMap(({ kind, module, deeds }) =>
    deeds.map((deed) => ({ name: `${kind}.${deed}`, module, says: `${words(kind)}: ${words(deed)}` })),
  )
