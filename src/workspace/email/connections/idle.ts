/** A connection on which the server pushes changes of the inbox (IDLE), held until it is ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Services } from '#kernel/context.ts'
import { Budget, COMMANDS, TASKS } from './budget.ts'
import { type Client, clientFor } from './client.ts'
import type { Server } from './credentials.ts'
import { MailServerError } from './failures.ts'

/** Pause between two connections after a failure, doubled each time; in milliseconds. */
const MIN_PAUSE = 15_000
const MAX_PAUSE = 600_000
/** A server that ends IDLE sooner than this, in milliseconds, doesn't really support it. */
const SHORTEST_IDLE = 1000

/**
 * Calls `onNews` when something is new, and once for each connection, because something may have arrived before it. Stops if the
 * server has no IDLE or rejects the password, so that we don't lock anybody's account. Returns the function that ends it.
 */
export function listenTo(services: Services, server: Server, onNews: () => void): () => void {
  const ending = new AbortController()
  const { signal } = ending
  void listen()
  return () => ending.abort()

  async function listen() {
    for (let pause = MIN_PAUSE; !signal.aborted; pause = Math.min(pause * 2, MAX_PAUSE)) {
      const began = performance.now()
      const failure = await once().catch((error: unknown) => error)
      if (failure === 'useless' || (failure instanceof MailServerError && failure.part === 'password')) return
      if (performance.now() - began > MAX_PAUSE) pause = MIN_PAUSE // the connection was stable for a while
      await sleep(pause, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async function once(): Promise<'useless' | 'lost'> {
    const client = await clientFor(services, server, { budget: new Budget(TASKS.watch), onVanished: onNews, onExists: onNews })
    const { imap, meter } = client
    const close = () => imap.close()
    signal.addEventListener('abort', close)
    try {
      signal.throwIfAborted()
      await client.connect()
      if (!imap.capabilities.has('IDLE')) return 'useless'
      await meter.run(COMMANDS.open, () => imap.mailboxOpen('INBOX', { readOnly: true }))
      for (const event of ['expunge', 'flags'] as const) imap.on(event, onNews)
      onNews()
      await idle(client)
      return 'lost'
    } finally {
      signal.removeEventListener('abort', close)
      close()
    }
  }
}

async function idle({ imap, meter }: Client) {
  for (let began = 0; imap.usable && performance.now() - began > SHORTEST_IDLE; ) {
    began = performance.now()
    await meter.run(COMMANDS.idle, () => imap.idle())
  }
}
