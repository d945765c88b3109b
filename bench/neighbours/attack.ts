/** Interface of attacks, and how they are sustained. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, apiAt } from './api.ts'

/** API client of the attacking workspace, with the means of an attack. */
export interface Attacker extends Api {
  base: string
  token: string
  /** Port of an SMTP server for its mails. The password is that of all mailboxes. */
  smtp: number
  /** Address of a server that receives webhooks. */
  receiver: string
  /** Aborted when the attack ends. */
  ended: AbortSignal
  /** Counts a reply or another result of an attempt. */
  count(what: string): void
  /** Called when the attack has ended: stops servers and undoes what would continue. */
  onEnd(stop: () => unknown): void
}

export interface Attack {
  finding: string
  does: string
  /** Concurrent attempts (4), and pause between two of them in milliseconds (50). */
  atOnce?: number
  pause?: number
  /** The neighbour requests a password reset meanwhile. */
  link?: true
  /** The neighbour waits for webhooks meanwhile. */
  webhook?: true
  /** Number of attacking workspaces (1). */
  attackers?: number
  /** Prepares the attack. Returns the n-th attempt, which is repeated until the attack ends. */
  prepare(attacker: Attacker): Promise<(n: number) => Promise<unknown>>
}

interface Options {
  base: string
  token: string
  smtp: number
  receiver: string
}

/** Returns the attacker, the replies so far, and functions to sustain and end the attack. */
export function attackerAt({ base, token, smtp, receiver }: Options) {
  const ending = new AbortController()
  const answers = new Map<string, number>()
  const stops: (() => unknown)[] = []
  const count = (what: string) => void answers.set(what, (answers.get(what) ?? 0) + 1)
  const attacker: Attacker = {
    ...apiAt({ base, token, signal: ending.signal, answered: count }),
    delete: apiAt({ base, token }).delete, // for clean-up after the end
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

/** Returns headers of a different network for each n. */
export const fromNetwork = (n: number) => ({ 'x-forwarded-for': `203.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` })
