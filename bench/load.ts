/** Puts load on addresses and measures it. */
import autocannon from 'autocannon'

export interface Target {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  /** Several paths instead of the one in `url`, requested in turn. Each load continues where the previous one stopped. */
  paths?: string[]
  /** Several users instead of the one in `headers`, in turn: for routes with a rate limit per user. */
  tokens?: string[]
  /** Returns another path or other headers for each request: the n-th since the first load. */
  vary?: (n: number) => { path?: string; headers?: Record<string, string> }
}

export interface Load {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
}

const TURNS = 4
let varied = 0

/**
 * Loads each target for the given seconds after a warm-up. Targets alternate, so that other load on the machine affects all of
 * them alike. Throws on any reply other than a success or redirect.
 */
export async function compare(
  targets: Target[],
  { seconds, connections }: { seconds: number; connections: number },
): Promise<Load[]> {
  for (const target of targets) await fire(target, seconds / TURNS, connections)
  const measured = targets.map((target) => ({ target, took: [] as number[], passed: 0 }))
  for (let turn = 0; turn < TURNS; turn++)
    for (const one of measured) {
      const { took, passed } = await fire(one.target, seconds / TURNS, connections)
      one.took = one.took.concat(took)
      one.passed += passed
    }
  return measured.map((one) => loadOf([one]))
}

interface Fired {
  took: number[]
  passed: number
}

/** Combines several measurements of one target. */
export function loadOf(fired: Fired[]): Load {
  const took = fired.flatMap((one) => one.took).sort((a, b) => a - b)
  const passed = fired.reduce((sum, one) => sum + one.passed, 0)
  const at = (share: number) => took[Math.floor(share * (took.length - 1))]!
  return { perSecond: took.length / passed, p50: at(0.5), p99: at(0.99) }
}

/** Returns the time of each request in milliseconds, and the total time in seconds. */
export async function fire({ paths, tokens, vary, ...target }: Target, duration: number, connections: number): Promise<Fired> {
  const took: number[] = []
  const began = performance.now()
  const asked = paths ?? tokens?.map(() => new URL(target.url).pathname)
  const as = (n: number) => tokens && { ...target.headers, authorization: `Bearer ${tokens[n % tokens.length]}` }
  const requests = vary
    ? [{ setupRequest: (request: autocannon.Request) => ({ ...request, ...vary(varied++) }) }]
    : asked?.map((path, n) => ({ path, ...(tokens ? { headers: as(n) } : {}) }))
  const options: autocannon.Options = { ...target, connections, duration, requests }
  const running = autocannon(options) as Promise<autocannon.Result> & autocannon.Instance
  let refused: number | undefined
  // Measured here, because autocannon's own histogram has a resolution of a millisecond.
  running.on('response', (_client, status, _bytes, milliseconds) => {
    if (status >= 400) refused ??= status
    took.push(milliseconds)
  })
  const { errors, timeouts } = await running
  if (refused) throw new Error(`${target.url} answered ${refused}`)
  paths?.push(...paths.splice(0, took.length))
  tokens?.push(...tokens.splice(0, took.length))
  if (errors || timeouts || !took.length) throw new Error(`${target.url}: ${errors} errors, ${timeouts} timeouts`)
  return { took, passed: (performance.now() - began) / 1000 }
}
