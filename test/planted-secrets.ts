/**
 * Detects passwords, tokens and message texts in the log: everything that a world logs, at every level, is stored and searched at
 * its end.
 */
import assert from 'node:assert/strict'
import { relative } from 'node:path'
import pino, { type Logger } from 'pino'
import { logTo } from '#kernel/process/log.ts'

/** Shorter ones would match by chance. */
const SHORTEST = 8
const MAX_SHOWN = 500

export interface WatchedLog {
  /** Logger with the application's redaction. Lines from level TEST_LOG on are printed too. */
  log: Logger
  /** Forbids this text in all lines, earlier and later ones. */
  plant(secret: string): void
  /** Throws with the secret and the line where one contains it. */
  check(): void
}

/** `listen` receives every line too. */
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

/** Yields the values of secret fields in a request or reply: passwords, tokens, keys, message texts. */
export function* secretsIn(value: unknown, field = ''): Generator<string> {
  if (typeof value === 'string') {
    if (value.length >= SHORTEST && SECRET_FIELD.test(field)) yield value
  } else if (Array.isArray(value)) for (const one of value) yield* secretsIn(one, field)
  else if (isPlain(value)) for (const [name, one] of Object.entries(value)) yield* secretsIn(one, name)
}

/** Neither a file nor a stream. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Returns a text as written in a line: in JSON and in addresses. */
const written = (secret: string) => [...new Set([JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])]
