/** Two real API processes behind nginx and two workers on one database, which can be replaced and killed one by one. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { after } from 'node:test'
import type { Options, World } from '../harness.ts'
import { type Service, startService } from '../service.ts'

export interface Answer {
  status: number
  body: any
  headers: Record<string, string | string[] | undefined>
}
export type Ask = (method: string, path: string, body?: unknown, options?: Options) => Promise<Answer>

type Member = 'a' | 'b' | 'worker 1' | 'worker 2'

/** Starts all four on the world's database; they end with the test file. */
export async function clusterOf(world: World, ports: { a: number; b: number }) {
  const { DATABASE_URL = '', DATA_DIR, BASE_URL, APP_KEY } = world.services.config
  const same = { DATABASE_URL, DATA_DIR, BASE_URL, APP_KEY: APP_KEY.toString('base64'), DATABASE_POOL_SIZE: '8' }
  const members = new Map<Member, Service>()
  /** Output of ended processes. */
  let past = ''

  const start = async (member: Member) => {
    const one =
      member === 'a' || member === 'b'
        ? await startService({ ...same, HOST: '127.0.0.1', PORT: String(ports[member]), TRUST_PROXY: '1' }, 'api')
        : await startService(same, 'worker')
    members.set(member, one)
  }
  /** Returns its exit code: null after SIGKILL. */
  async function end(member: Member, signal: NodeJS.Signals = 'SIGTERM') {
    const one = members.get(member)!
    members.delete(member)
    const ended = once(one.process, 'close')
    one.process.kill(signal)
    const [code] = await ended
    past += one.output()
    return code as number | null
  }
  after(() => Promise.all([...members.keys()].map((member) => end(member, 'SIGKILL'))))
  await start('a') // the first one migrates
  await Promise.all((['b', 'worker 1', 'worker 2'] as const).map(start))
  return {
    start,
    end,
    /** Output of all its processes. */
    output: () => past + [...members.values()].map((one) => one.output()).join(''),
  }
}

/** Returns a function that sends requests to one address with this token; `from` is the client's address, one of 127.0.0.0/8. */
export function asking(url: string, token?: string, from?: string): Ask {
  const agent = new Agent({ keepAlive: true, localAddress: from })
  after(() => agent.destroy())
  return async (method, path, body, { headers = {} } = {}) => {
    const json = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(url + path, {
      method,
      agent,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(json === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) }),
        ...headers,
      },
    })
    sent.end(json)
    const [reply] = await once(sent, 'response')
    const text = Buffer.concat(await reply.toArray()).toString()
    const isJson = String(reply.headers['content-type']).includes('json')
    return { status: reply.statusCode, body: isJson ? JSON.parse(text) : text, headers: reply.headers }
  }
}

/** Starts readers and writers of vendors until they are stopped. Returns their replies and the acknowledged names. */
export function loadOn(ask: Ask, keys: boolean) {
  let over = false
  const answered = new Map<string, number>()
  const names: string[] = []
  const tell = (what: string) => void answered.set(what, (answered.get(what) ?? 0) + 1)
  /** Returns the status, or the error code where there was no reply. */
  const asked = async (method: string, path: string, body?: unknown, options?: Options) => {
    const status = await ask(method, path, body, options).then(
      (reply) => reply.status,
      (error) => error.code,
    )
    tell(`${method} ${status}`)
    return status
  }
  const write = async () => {
    const name = crypto.randomUUID()
    const headers: Record<string, string> = keys ? { 'idempotency-key': name } : {}
    for (let again = true; again; ) {
      const made = (await asked('POST', '/vendors', { name }, { headers })) === 201
      if (made) names.push(name)
      again = keys && !made
    }
  }
  const hand = async (n: number) => {
    while (!over) await (n % 2 ? write() : asked('GET', '/vendors?per_page=5'))
  }
  const hands = Promise.all(Array.from({ length: 8 }, (_, n) => hand(n)))
  return {
    answered,
    names,
    async end() {
      over = true
      await hands
    },
  }
}
