/** No password, token or text of a letter in the log: all that a world logs, at every level, is kept and searched at its end. */
import assert from 'node:assert/strict'
import { relative } from 'node:path'
import pino, { type Logger } from 'pino'
import { logTo } from '#kernel/process/log.ts'

/** Shorter ones would be found by chance. */
const SHORTEST = 8
const MAX_SHOWN = 500

export interface WatchedLog {
  /** As the product's own, with what that redacts. Lines from the level TEST_LOG on are printed too. */
  log: Logger
  /** Nothing that is logged may hold this text, before it is planted or after. */
  plant(secret: string): void
  /** Throws, naming the secret and the line, where a line holds one. */
  check(): void
}

/** `listen` is told every line too. */
export function watchedLog(listen?: (line: string) => void): WatchedLog {
  const lines: string[] = []
  const planted = new Set<string>()
  const write = (line: string) => {
    lines.push(line)
    listen?.(line)
  }
  const printed = process.env.TEST_LOG as pino.Level | undefined
  const streams = pino.multistream({ level: 'trace', stream: { write } })
  if (printed) streams.add({ level: printed, stream: process.stdout })
  return {
    log: logTo('trace', streams),
    plant(secret) {
      assert.ok(secret.length >= SHORTEST, `too short to be looked for in the log: ${secret}`)
      planted.add(secret)
    },
    check() {
      const all = lines.join('')
      const found = [...planted].flatMap((secret) =>
        written(secret)
          .filter((form) => all.includes(form))
          .map((form) => `${secret} stands in: ${lines.find((line) => line.includes(form))?.slice(0, MAX_SHOWN)}`),
      )
      assert.ok(!found.length, `The log of ${relative('.', process.argv[1]!)} holds secrets.\n${found.join('\n')}`)
    },
  }
}

const SECRET_FIELD = /password|secret|(token|api_key|recovery_codes|body_text|body_html)$/

/** What a request or a reply holds in fields that are secret by their name: passwords, tokens, keys, texts of letters. */
export function* secretsIn(value: unknown, field = ''): Generator<string> {
  if (typeof value === 'string') {
    if (value.length >= SHORTEST && SECRET_FIELD.test(field)) yield value
  } else if (Array.isArray(value)) for (const one of value) yield* secretsIn(one, field)
  else if (isPlain(value)) for (const [name, one] of Object.entries(value)) yield* secretsIn(one, name)
}

/** Neither a file nor a stream. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** How a text stands in a line: as JSON writes it, and as an address does. */
const written = (secret: string) => [...new Set([JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])]
