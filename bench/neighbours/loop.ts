/**
 * How long the measured server's event loop stands still, in milliseconds of its own CPU: what else the machine does, and waiting for a CPU,
 * don't count. Imported into that process by NODE_OPTIONS; whoever connects to the socket is told the longest time since it was last asked.
 */
import { connect as connectTo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { isMainThread } from 'node:worker_threads'

const SOCKET = 'BENCH_LOOP_SOCKET'
const EVERY_MS = 5

/** Settings under which the server answers at a socket. */
export const loopWatchedAt = (path: string) => ({ NODE_OPTIONS: `--import=${import.meta.url}`, [SOCKET]: path })

/** NaN where the server is gone. */
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
