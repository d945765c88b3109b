/**
 * Serialises pipelined requests (HTTP pipelining) of a connection: the next one starts when the previous reply has been sent. So
 * a client that doesn't read its replies causes no further work, and the queue is bounded.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Maximum number of queued requests per connection; more close it. */
const MAX_WAITING = 100

/** Processes one request per connection at a time; later ones wait for its reply. */
export function serveInTurn(app: FastifyInstance) {
  /** Callbacks that start the queued requests, by connection. No entry: idle; an empty list: one request is running. */
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
