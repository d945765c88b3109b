/** A connection on which the server tells what is new in the inbox (IDLE), held until it is ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImapFlow } from 'imapflow'
import type { Services } from '#kernel/context.ts'
import { clientFor } from './client.ts'
import type { Server } from './credentials.ts'

/** Between two connections after a failure, doubling; in milliseconds. */
const SHORTEST_PAUSE = 15_000
const LONGEST_PAUSE = 600_000
/** A server that ends IDLE sooner doesn't mean it. */
const SHORTEST_IDLE = 1000

/**
 * Calls `onNews` when something is new, and once for each connection, as something may have come before. A server without IDLE is left
 * alone, and so is one that refuses the password: nobody's account is locked by us. Gives the function that ends it.
 */
export function listenTo(services: Services, server: Server, onNews: () => void): () => void {
  const ending = new AbortController()
  const { signal } = ending
  void listen()
  return () => ending.abort()

  async function listen() {
    for (let pause = SHORTEST_PAUSE; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const began = Date.now()
      const failure = await once().catch((error: { authenticationFailed?: boolean }) => error)
      if (failure === 'useless' || (typeof failure === 'object' && failure.authenticationFailed)) return
      if (Date.now() - began > LONGEST_PAUSE) pause = SHORTEST_PAUSE // it had stood for a while
      await sleep(pause, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async function once(): Promise<'useless' | 'lost'> {
    const client = await clientFor(services, server)
    const close = () => client.close()
    signal.addEventListener('abort', close)
    try {
      signal.throwIfAborted()
      await client.connect()
      if (!client.capabilities.has('IDLE')) return 'useless'
      await client.mailboxOpen('INBOX', { readOnly: true })
      for (const event of ['exists', 'expunge', 'flags'] as const) client.on(event, onNews)
      onNews()
      await idle(client)
      return 'lost'
    } finally {
      signal.removeEventListener('abort', close)
      client.close()
    }
  }
}

async function idle(client: ImapFlow) {
  for (let began = 0; client.usable && Date.now() - began > SHORTEST_IDLE; ) {
    began = Date.now()
    await client.idle()
  }
}
