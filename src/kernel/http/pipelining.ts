/**
 * Requests that a client sends on one connection without waiting for the replies (HTTP pipelining) are worked one after the other: the
 * next begins when the reply before has left. Whoever doesn't read the replies gets no more work done, and what waits is bounded.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests of one connection that may wait; more end it. */
const MAX_WAITING = 100

/** Works on one request of a connection at a time: those that were sent behind it wait for its reply. */
export function serveInTurn(app: FastifyInstance) {
  /** For each connection, what begins the requests that wait; none where one is worked on and nothing waits. */
  const connections = new WeakMap<Socket, (() => void)[]>()
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const begin = () => {
      reply.raw.once('close', () => {
        const next = connections.get(socket)?.shift()
        if (next) next()
        else connections.delete(socket)
      })
      done()
    }
    const waiting = connections.get(socket)
    if (!waiting) {
      connections.set(socket, [])
      return begin()
    }
    if (waiting.length >= MAX_WAITING) return void socket.destroy()
    waiting.push(begin)
  })
}
