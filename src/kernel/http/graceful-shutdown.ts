/**
 * Graceful shutdown behind a proxy, so that no request fails: stops listening, answers requests on open connections, and closes
 * each connection after its reply. Connections without requests are closed last: a request may be on its way, and a proxy doesn't
 * retry a request that was sent.
 */
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Milliseconds without a request after which none can still be on its way. */
const TIMEOUT_MS = 500
const CHECKED_EVERY = 50

/** Must be registered before all other `preClose` hooks. After these hooks Fastify waits for running requests. */
export function drainConnections(app: FastifyInstance) {
  const { server } = app
  let leaving = false
  let answered = 0
  app.addHook('onSend', (_, reply, payload, done) => {
    if (leaving) {
      reply.header('connection', 'close')
      answered = performance.now()
    }
    done(null, payload)
  })
  app.addHook('preClose', async () => {
    if (!server.listening) return
    leaving = true
    answered = performance.now()
    let ended = false
    server.once('close', () => void (ended = true))
    Server.prototype.close.call(server) // Node's HTTP server would close idle connections at once
    while (!ended && performance.now() - answered < TIMEOUT_MS) await sleep(CHECKED_EVERY)
    if (ended) return
    // Replies that had started before the shutdown lack `Connection: close`.
    const idle = setInterval(() => server.closeIdleConnections(), CHECKED_EVERY)
    server.once('close', () => clearInterval(idle))
  })
}
