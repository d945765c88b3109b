/**
 * Small messages between all processes of an installation, through PostgreSQL's NOTIFY: for invalidating caches, and for live
 * updates. They are sent after the commit, many in one statement, because transactions that notify wait for each other.
 * A message may be lost, with its process or with the listening connection. Consumers that depend on one cache only for a short
 * time, or reload when `missed` is called.
 */
import pg from 'pg'
import type { Logger } from 'pino'
import type { Database } from './connect.ts'

/** Payloads by topic. Modules add theirs by declaration merging; payloads are JSON of at most 7 kB. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Topics {}
type Topic = keyof Topics & string

/** Publishes and receives messages. */
export interface Channel {
  /**
   * Sends a message to every process; this one receives it immediately. Call it after the commit: `ctx.afterCommit(() =>
   * services.channel.publish(…))`.
   */
  publish<T extends Topic>(topic: T, payload: Topics[T]): void
  /**
   * Adds a listener; returns a function that removes it. `missed` is called when messages may have been lost, so that everything
   * cached is suspect.
   */
  on<T extends Topic>(topic: T, listener: (payload: Topics[T]) => unknown, missed?: () => unknown): () => void
  start(): Promise<void>
  /** Sends pending messages, then disconnects. */
  stop(): Promise<void>
}

type Message = [topic: string, payload: unknown]

const NAME = 'atrium'
/** PostgreSQL limits a notification to 8,000 bytes. */
const MAX_BYTES = 7_800
const MAX_PAYLOAD = 7_000
/** Interval of checks whether the connection still receives messages, in milliseconds. */
const HEARTBEAT = 10_000
/** Timeout for connecting in milliseconds (stopping waits for it), and the pauses before reconnecting. */
const CONNECT_TIMEOUT = 10_000
const MIN_PAUSE = 100
const MAX_PAUSE = 60_000

/** Opens the channel of this process. `url` must lead directly to the server, because poolers don't support LISTEN. */
export function channelIn(url: string, database: Pick<Database, 'statement'>, log: Logger): Channel {
  const self = crypto.randomUUID()
  const listeners = new Map<string, Set<{ listener: (payload: any) => unknown; missed?: () => unknown }>>()
  const outgoing: { text: string; bytes: number }[] = []
  let sending: Promise<void> | undefined
  let client: pg.Client | undefined
  /** A reconnection in progress. */
  let listening: Promise<unknown> | undefined
  let heard = true
  let beating: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined
  let pause = MIN_PAUSE
  let stopped = false

  const run = (work: () => unknown) => Promise.try(work).catch((error) => log.error({ err: error }, 'channel'))
  const deliver = ([topic, payload]: Message) => {
    for (const { listener } of listeners.get(topic) ?? []) run(() => listener(payload))
  }

  /**
   * Puts as many messages into each notification as fit. The process also receives its own ones, which shows that the connection
   * works.
   */
  async function send() {
    await new Promise(setImmediate) // messages published at the same time are sent together
    while (outgoing.length) {
      const batch = outgoing.splice(0, 1)
      let bytes = batch[0]!.bytes
      while (outgoing.length && bytes + outgoing[0]!.bytes < MAX_BYTES) {
        bytes += outgoing[0]!.bytes + 1
        batch.push(outgoing.shift()!)
      }
      await notify(batch.map(({ text }) => text)).catch(({ message }) => log.warn({ message }, 'messages between processes lost'))
    }
  }
  const notify = (messages: string[]) =>
    database.statement('SELECT pg_notify($1, $2)', [NAME, `{"from":"${self}","messages":[${messages.join()}]}`])
  const flush = () => (sending ??= send().finally(() => (sending = undefined)))

  async function listen() {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'atrium-channel',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
    })
    next.on('error', () => {}) // 'end' follows
    next.on('end', () => lose(next))
    next.on('notification', ({ payload }) => {
      if (client !== next) return
      heard = true
      pause = MIN_PAUSE
      const { from, messages } = JSON.parse(payload!) as { from: string; messages: Message[] }
      if (from !== self) messages.forEach(deliver)
    })
    try {
      await next.connect()
      await next.query(`LISTEN ${NAME}`)
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
    client = next
    heard = true
  }

  function lose(lost: pg.Client) {
    if (client !== lost || stopped) return
    client = undefined
    lost.end().catch(() => {})
    log.warn('the connection for messages between processes was lost; through a pooler it needs DATABASE_DIRECT_URL')
    listenAgain()
  }

  function listenAgain() {
    const goOn = () => stopped || notifyMissed()
    const failed = () => stopped || listenAgain()
    again = setTimeout(() => (listening = listen().then(goOn, failed)), pause)
    pause = Math.min(pause * 2, MAX_PAUSE)
  }
  function notifyMissed() {
    for (const all of listeners.values()) for (const { missed } of all) if (missed) run(missed)
  }

  /** A connection through a pooler, or one that died unnoticed, accepts LISTEN but receives nothing. */
  function beat() {
    if (!client) return
    if (!heard) return lose(client)
    heard = false
    notify([]).catch(() => {})
  }

  return {
    publish(topic, payload) {
      const text = JSON.stringify([topic, payload])
      const bytes = Buffer.byteLength(text)
      if (bytes > MAX_PAYLOAD) throw new Error(`A message of ${bytes} bytes on ${topic} is too large`)
      deliver([topic, payload])
      outgoing.push({ text, bytes })
      flush()
    },
    on(topic, listener, missed) {
      const one = { listener, missed }
      const all = listeners.get(topic) ?? new Set()
      listeners.set(topic, all.add(one))
      return () => void all.delete(one)
    },
    async start() {
      await listen()
      beating = setInterval(beat, HEARTBEAT)
      beating.unref()
    },
    async stop() {
      await sending
      stopped = true
      clearInterval(beating)
      clearTimeout(again)
      await listening
      await client?.end()
    },
  }
}
