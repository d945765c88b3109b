/**
 * Measures how long the server's event loop blocks, in milliseconds of its own CPU time, so that other load on the machine
 * doesn't count. Imported into that process by NODE_OPTIONS; a client of the socket receives the longest time since the previous
 * request.
 */
import { connect as connectTo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { isMainThread } from 'node:worker_threads'

const SOCKET = 'BENCH_LOOP_SOCKET'
const EVERY_MS = 5

/** Returns settings under which the server reports at a socket. */
export const loopWatchedAt = (path: string) => ({ NODE_OPTIONS: `--import=${import.meta.url}`, [SOCKET]: path })

/** Returns the longest block; NaN if the server is gone. */
export const longestHold = async (path: string) => Number(await text(connectTo(path)).catch(() => Number.NaN))

const path = process.env[SOCKET]
if (path && isMainThread && process.argv.at(-1) === 'start') {
  delete process.env[SOCKET]
  let worst = 0
  let before = process.threadCpuUsage()
  setInterval(() => {
    const now = process.threadCpuUsage()
    worst = Math.max(worst, now.user + now.system - before.user - before.system)
    before = now
  }, EVERY_MS).unref()
  const server = createServer((socket) => {
    socket.on('error', () => {}).end(String(worst / 1000))
    worst = 0
  })
  server.listen(path).unref()
}
