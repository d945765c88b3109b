/** Sends attacks and checks the replies. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Reply } from '../../harness.ts'
import { documented } from '../documented.ts'
import type { Operation } from '../operations.ts'
import type { Request } from '../requests.ts'
import type { ContractWorld } from '../world.ts'
import { words } from './addresses.ts'
import { attackOn } from './attacks.ts'
import { busyIn, heap, MAX_UNITS, mostMegabytes, unit } from './bounds.ts'
import { type Attack, plain } from './plain.ts'
import { randomOf } from './random.ts'

export interface Fuzzing {
  /** Sends this number of attacks on a request, and the request itself. Returns the problems of replies, each with its attack. */
  attack(request: Request, seed: number, many: number): Promise<string[]>
  /** Sends every enum value of the query's parameters. */
  tryWords(request: Request): Promise<string[]>
  /** Returns the problems found after all attacks. */
  remains(): string[]
  /** Returns a summary: attacks by status, the most expensive one, and the remaining heap. */
  told(): string
}

export async function fuzzingOf(world: ContractWorld): Promise<Fuzzing> {
  const complaints = await documented(world)
  const ms = await unit()
  const before = heap()
  const statuses: Record<number, number> = {}
  let busiest = { units: 0, about: '' }
  let sent = 0
  const grown = () => Math.round(heap() - before)

  async function attack(request: Request, seed: number, many: number) {
    const random = randomOf(seed, request.operation.at)
    const attacks = Array.from({ length: many }, () => attackOn(request, random))
    return send(request, [...attacks, plain(request)])
  }

  async function send(request: Request, attacks: Attack[]) {
    const wrong: string[] = []
    for (const attack of attacks) {
      if ('429' in request.operation.responses) await world.sql('DELETE FROM rate_limits')
      const busy = await busyIn(() => deliver(world, attack))
      const reply = busy.result
      let units = busy.ms / ms
      if (units > MAX_UNITS) units = busy.ms / Math.max(ms, await unit()) // the machine may be slower by now
      const about = `${attack.method} ${attack.url.slice(0, 300)} (${attack.what.slice(0, 300)})`
      const found = wrongWith(attack, reply)
      if (units > MAX_UNITS) found.push(`keeps the service busy for ${Math.round(units)} units`)
      if (units > busiest.units) busiest = { units, about }
      sent++
      statuses[reply.status] = (statuses[reply.status] ?? 0) + 1
      wrong.push(...found.map((one) => `${one}\n  ${about}\n  ${reply.raw.toString().slice(0, 400)}`))
    }
    return wrong
  }

  function wrongWith(attack: Attack, reply: Reply): string[] {
    const operation = operationAt(world.operations, attack)
    if (operation) return complaints(operation, reply)
    // Outside of the documents: the start page, the documents themselves.
    return reply.status < 500 ? [] : [`${reply.status} where no operation is`]
  }

  return {
    attack,
    tryWords: (request) => send(request, words(request)),
    remains: () => (grown() > mostMegabytes(sent) ? [`the heap has grown by ${grown()} MB`] : []),
    told() {
      const { units, about } = busiest
      return `${JSON.stringify(statuses)}; ${units.toFixed(1)} units of ${ms.toFixed(0)} ms at most: ${about}; heap ${grown()} MB larger`
    },
  }
}

/** Returns the operation that an attack reaches, which may differ due to a changed method or path. */
function operationAt(operations: Operation[], { method, url }: Attack): Operation | undefined {
  if (!isReadable(url)) return undefined // rejected by the router
  const asked = new URL(url, 'http://atrium.test').pathname.replace(/\/$/, '').split('/')
  const all = operations.filter((one) => {
    const parts = one.path.split('/')
    return (
      one.method === method &&
      parts.length === asked.length &&
      parts.every((part, n) => part.startsWith('{') || part === asked[n])
    )
  })
  return all.find(({ path }) => !path.includes('{')) ?? all[0]
}

async function deliver(world: ContractWorld, { method, url, headers, payload }: Attack): Promise<Reply> {
  const reply = await world.app.inject({ method: method as 'GET', url, headers, ...(payload === undefined ? {} : { payload }) })
  const json = /^application\/([\w.-]+\+)?json\b/.test(String(reply.headers['content-type']))
  const raw = expanded(reply.rawPayload, reply.headers['content-encoding'])
  return {
    status: reply.statusCode,
    body: json && raw.length ? JSON.parse(raw.toString()) : (undefined as never),
    headers: reply.headers,
    raw,
  }
}

/** Decompresses a reply. */
const expanded = (bytes: Buffer, encoding: unknown) =>
  encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes

function isReadable(url: string) {
  try {
    return decodeURIComponent(url.split('?')[0]!) !== undefined
  } catch {
    return false
  }
}
