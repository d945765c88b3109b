/** State machines as data: a module declares its moves; the kernel validates them when it is loaded and checks each move. */
import type { z } from 'zod'
import type { Ctx } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import { invalid } from '../errors.ts'
import type { Permission } from '../names.ts'
import { definitionOf } from '../values/schema-definition.ts'
import { capital, withArticle, words } from '../values/words.ts'
import { followingChanges } from './changes.ts'
import type { Changes, RecordTable, Resource, Row } from './resource.ts'
import { type Changed, commonTimelineOf, logActivity, writeActivity } from './timeline.ts'

/** A transition between states. */
export interface Move<S extends string> {
  from: readonly S[]
  to: S
  /** Permission for the move by POST /status. */
  allow?: Permission
  /** Consequence of another action (such as voiding a payment): not possible by POST /status. */
  follows?: true
  /** Name of the move for users, where its own name is ambiguous. */
  title?: string
  /** Description of the move for users, shown before they confirm it. */
  says?: string
}

/** State machine of a kind of record. */
export interface Machine<S extends string = string, M extends string = string> {
  noun: string
  states: readonly [S, ...S[]]
  initial: S
  moves: Record<M, Move<S>>
  /**
   * Returns the move that leads to a state: preferably from `from`, else from any state. Undefined if none does, or only moves
   * that are a consequence of something else.
   */
  leadingTo(to: S, from: S): M | undefined
  /** Returns the 422 for a state that no move leads to. */
  unreachable(to: S): Error
  /**
   * Returns the state that a move leads to. Throws 422 on `status`, naming the possible moves, if the move isn't allowed from
   * this state (CONV-13).
   */
  check(move: M, from: S): S
  /** Checks the move, saves the new status with the other changes, and adds one timeline entry. */
  move<T extends RecordTable>(
    ctx: Ctx,
    of: Stored<T, S>,
    row: Row<T>,
    move: M,
    also?: Changes<T>,
    shown?: Changed,
  ): Promise<Row<T>>
}

/**
 * Resource of a machine. States that are missing in the CHECK of the table's status are a compile error, because saving them
 * would fail.
 */
export type Stored<T extends RecordTable, S> =
  Row<T> extends { status: infer Status }
    ? [S] extends [Status]
      ? Resource<T>
      : { 'these states are missing in the CHECK of the table’s status': Exclude<S, Status> }
    : never

/** Machines of all loaded modules. */
export const machines: Machine[] = []

/**
 * Returns the machine whose states are the values of a resource's `status`; of several with the same states, the one with the
 * same noun.
 */
export function machineOf({
  noun,
  item,
}: {
  noun: string
  item: { shape: Record<string, z.core.$ZodType> }
}): Machine | undefined {
  const { status } = item.shape
  const states = status ? Object.values(definitionOf(status).entries ?? {}) : []
  const same = machines.filter((one) => states.length > 0 && one.states.join() === states.join())
  return same.find((one) => one.noun === noun) ?? same[0]
}

/**
 * Defines a machine. Throws at load time if a move has an unknown state, or a state can't be reached, so that such a mistake
 * never reaches production.
 */
export function machine<const S extends string, const M extends string>(
  noun: string,
  graph: { states: readonly [S, ...S[]]; initial: NoInfer<S>; moves: Record<M, Move<NoInfer<S>>> },
): Machine<S, M> {
  const { states, initial } = graph
  const moves = Object.entries(graph.moves) as [M, Move<S>][]
  for (const [name, move] of moves)
    for (const state of [...move.from, move.to])
      if (!states.includes(state)) throw new Error(`${noun}: move ${name} names the unknown state ${state}`)

  const reached = new Set<S>([initial])
  for (let before = 0; before < reached.size; ) {
    before = reached.size
    for (const [, move] of moves) if (move.from.some((state) => reached.has(state))) reached.add(move.to)
  }
  const lost = states.filter((state) => !reached.has(state))
  if (lost.length) throw new Error(`${noun}: no move leads to ${lost.join(', ')}`)

  function check(name: M, from: S) {
    const move = graph.moves[name]
    if (move.from.includes(from)) return move.to
    const possible = moves.filter(([, other]) => other.from.includes(from) && !other.follows).map(([other]) => words(other))
    const next = possible.length ? `Possible now: ${possible.join(', ')}.` : 'Nothing can follow.'
    throw invalid({ status: `It is not possible to ${words(name)} ${withArticle(noun)} that is ${words(from)}. ${next}` })
  }

  const made: Machine<S, M> = {
    ...graph,
    noun,
    check,
    unreachable: (to) => invalid({ status: `${capital(withArticle(noun))} cannot go back to ${to}.` }),
    leadingTo(to, from) {
      const leading = moves.filter(([, move]) => move.to === to && !move.follows)
      const [move] = leading.find(([, { from: before }]) => before.includes(from)) ?? leading[0] ?? []
      return move
    },
    async move<T extends RecordTable>(
      ctx: Ctx,
      stored: Stored<T, S>,
      row: Row<T>,
      name: M,
      also?: Changes<T>,
      shown?: Changed,
    ): Promise<Row<T>> {
      const of = stored as Resource
      const { id, status: from } = row as unknown as { id: number; status: S }
      const to = check(name, from)
      if (!also || !Object.keys(also).length) {
        const [saved] = await allPipelined(
          of.save(ctx, row, { status: to }) as Promise<Row<T>>,
          logActivity(ctx, commonTimelineOf(of), id, 'status_changed', { from, to }),
        )
        return saved
      }
      const saved = (await of.save(ctx, row, { status: to, ...also })) as Row<T>
      const changed: Changed = { ...followingChanges(of, row as object, saved as object), ...shown, status: [from, to] }
      await writeActivity(ctx, { table: of.table, id, type: 'status_changed', properties: { from, to }, changed })
      return saved
    },
  }
  machines.push(made as unknown as Machine)
  return made
}

/** Guard: throws 422 on `status` of a record that isn't a draft any more, because others may have seen it or rely on it. */
export const draftsOnly =
  ({ noun }: { noun: string }) =>
  (_: Ctx, { status }: { status: string }) => {
    if (status !== 'draft') throw invalid({ status: `Only draft ${noun}s can be edited.` })
  }
