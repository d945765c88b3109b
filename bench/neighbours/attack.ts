/** What an attack is, and how it is kept up. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, apiAt } from './api.ts'

export interface Attacker extends Api {
  base: string
  token: string
  /** Where its mails may be handed over, by the password of all mailboxes. */
  smtp: number
  /** Address of a server that answers webhooks. */
  receiver: string
  /** Aborted when the attack ends. */
  ended: AbortSignal
  /** One answer more, or what else came of an attempt. */
  count(what: string): void
  /** Called when the attack has ended: stops servers, and takes back what would go on. */
  onEnd(stop: () => unknown): void
}

export interface Attack {
  finding: string
  does: string
  /** Attempts at once (4), and milliseconds between two of them (50). */
  atOnce?: number
  pause?: number
  /** The neighbour asks for a new password meanwhile. */
  link?: true
  /** The neighbour waits for webhooks meanwhile. */
  webhook?: true
  /** Workspaces that do it at once (1). */
  attackers?: number
  /** Makes what must be there before. Gives the n-th attempt, repeated until the attack ends. */
  prepare(attacker: Attacker): Promise<(n: number) => Promise<unknown>>
}

interface Options {
  base: string
  token: string
  smtp: number
  receiver: string
}

/** Whoever attacks, what they were answered so far, and their end. */
export function attackerAt({ base, token, smtp, receiver }: Options) {
  const ending = new AbortController()
  const answers = new Map<string, number>()
  const stops: (() => unknown)[] = []
  const count = (what: string) => void answers.set(what, (answers.get(what) ?? 0) + 1)
  const attacker: Attacker = {
    ...apiAt({ base, token, signal: ending.signal, answered: count }),
    delete: apiAt({ base, token }).delete, // tidying up, behind the end as well
    base,
    token,
    smtp,
    receiver,
    count,
    ended: ending.signal,
    onEnd: (stop) => void stops.unshift(stop),
  }
  return {
    attacker,
    answers,
    async keepUp({ atOnce = 4, pause = 50 }: Attack, attempt: (n: number) => Promise<unknown>) {
      let n = 0
      const one = async () => {
        while (!ending.signal.aborted) {
          await attempt(n++)
          await sleep(pause, undefined, { signal: ending.signal }).catch(() => {})
        }
      }
      await Promise.all(Array.from({ length: atOnce }, one))
    },
    end: () => ending.abort(),
    async stop() {
      for (const stop of stops) await stop()
    },
  }
}

/** A network for each n. */
export const fromNetwork = (n: number) => ({ 'x-forwarded-for': `203.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` })
