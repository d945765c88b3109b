/**
 * How a process that is stopped takes leave of the proxy in front of it, so that no request fails: it listens no more, answers what still
 * comes on the connections that there are, and closes each behind its answer. Those on which nothing comes are closed last: a request
 * may be on its way there, and one that was sent a proxy doesn't dare to send again.
 */
import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Milliseconds without a request: one that is on its way has arrived by then. */
const TIMEOUT_MS = 500
const CHECKED_EVERY = 50

/** Goes before all other hooks of `preClose`. Behind it Fastify waits for requests under way. */
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
    // Streams that had begun were not told to close their connection.
    const idle = setInterval(() => server.closeIdleConnections(), CHECKED_EVERY)
    server.once('close', () => clearInterval(idle))
  })
}
