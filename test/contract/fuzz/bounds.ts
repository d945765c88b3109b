/**
 * What a request may cost, so told that a slow or busy machine changes nothing: the processor time of the thread that serves all
 * requests, in units of a piece of work done in the same run, and the heap that is left when everything is done.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** About a second where a unit takes 30 ms: no request may hold up all others for so long. */
export const MAX_UNITS = 30
/** What stays on the heap: routes that were met for the first time and caches, and for each request what the harness keeps of the log. */
export const mostMegabytes = (requests: number) => 48 + requests * 0.008

/** Milliseconds of processor time that this thread took for some work. */
export async function busyIn<T>(work: () => T | Promise<T>): Promise<{ result: T; ms: number }> {
  const before = process.threadCpuUsage()
  const result = await work()
  const { user, system } = process.threadCpuUsage(before)
  return { result, ms: (user + system) / 1000 }
}

const MEGABYTE_OF_JSON = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n, name: `x${n}`, more: [n, null, true] })))

/** Milliseconds that this machine takes to read and write a megabyte of JSON four times. */
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

/** Megabytes in use when all garbage is gone. */
export function heap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1024 / 1024
}
