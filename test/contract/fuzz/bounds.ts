/**
 * Resource limits of requests, independent of the machine's speed. Measures the CPU time of the serving thread, in units of a
 * reference computation in the same run, and the heap that remains at the end.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** About a second where a unit takes 30 ms: no request may block all others for longer. */
export const MAX_UNITS = 30
/** Heap that may remain: newly used routes and caches, and the harness's log of each request. */
export const mostMegabytes = (requests: number) => 48 + requests * 0.008

/** Returns the CPU milliseconds of this thread for some work. */
export async function busyIn<T>(work: () => T | Promise<T>): Promise<{ result: T; ms: number }> {
  const before = process.threadCpuUsage()
  const result = await work()
  const { user, system } = process.threadCpuUsage(before)
  return { result, ms: (user + system) / 1000 }
}

const MEGABYTE_OF_JSON = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n, name: `x${n}`, more: [n, null, true] })))

/** Returns the milliseconds that this machine takes to parse and serialise a megabyte of JSON four times. */
export async function unit(): Promise<number> {
  const tries = []
  for (let n = 0; n < 5; n++)
    tries.push(
      await busyIn(() => {
        for (let times = 0; times < 4; times++) JSON.stringify(JSON.parse(MEGABYTE_OF_JSON))
      }),
    )
  return Math.min(...tries.map(({ ms }) => ms))
}

/** Returns the megabytes in use after garbage collection. */
export function heap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1024 / 1024
}
