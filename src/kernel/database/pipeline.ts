/**
 * The statements of a connection, in batches: those that are issued without waiting for each other leave in one write, and end with one Sync. So the
 * server wakes once, answers once, and wakes this process once. Of a prepared statement only the first use is parsed and described.
 *
 * Behind a statement that fails the server skips the rest of its batch, a COMMIT too: all of these are rejected with the error of the one that
 * failed, and the transaction stays open, aborted, until it is rolled back.
 */
import { createRequire } from 'node:module'
import type { Writable } from 'node:stream'
import pg from 'pg'
import { noteCut } from './failures.ts'

/** What the server answered to a statement. */
export interface Answered<R> {
  rows: R[]
  /** What was done, as the server names it: `SELECT 25`, `INSERT 0 1`, `COMMIT`. */
  command: string
}

export interface Pipeline {
  /** Issues a statement; it leaves once everything that waits for nothing has been issued too. One with a name is kept prepared under it. */
  run<R>(text: string, values?: readonly unknown[], name?: string): Promise<Answered<R>>
  /** Does work behind everything that waits for nothing, before the batch leaves: what it issues leaves with it. */
  behind<T>(work: () => Promise<T>): Promise<T>
  /** What has been issued leaves now. */
  flush(): void
}

type TypeParser = (oid: number, format: 'text') => (text: string) => unknown

const pipelines = new WeakMap<pg.ClientBase, Pipeline>()

/** The pipeline of a connection. */
export function pipelineOf(client: pg.ClientBase, typeParser: TypeParser): Pipeline {
  let pipeline = pipelines.get(client)
  if (!pipeline) pipelines.set(client, (pipeline = open(client, typeParser)))
  return pipeline
}

function open(client: pg.ClientBase, typeParser: TypeParser): Pipeline {
  const prepared: Prepared = new Map()
  let batch: Batch | undefined
  /** Work that will still issue statements of the batch. */
  let awaited = 0

  function flush() {
    if (!batch) return
    const leaving = batch
    batch = undefined
    client.query(leaving)
  }

  const flushUnlessAwaited = () => awaited || flush()

  return {
    run<R>(text: string, values: readonly unknown[] = NONE, name = '') {
      return new Promise<Answered<R>>((resolve, reject) => {
        const sent = values.map(encoded) // what can't be sent is rejected here, alone
        if (sent.length > MAX_VALUES) throw new Error(`A statement takes ${MAX_VALUES} values, not ${sent.length}`)
        if (!batch) {
          batch = new Batch(prepared, typeParser)
          afterMicrotasks(flushUnlessAwaited)
        }
        batch.statements.push({
          text,
          name,
          values: sent,
          parsed: false,
          rows: [],
          command: '',
          resolve: resolve as Statement['resolve'],
          reject,
        })
      }).catch(withCallersStack)
    },
    behind(work) {
      awaited++
      return new Promise((resolve, reject) =>
        afterMicrotasks(() => {
          Promise.try(work).then(resolve, reject)
          awaited--
          afterMicrotasks(flushUnlessAwaited)
        }),
      )
    },
    flush,
  }
}

const NONE: readonly unknown[] = []

/** The protocol counts values in 16 bits. */
const MAX_VALUES = 65_535

/** Statements reach the pipeline by microtasks: those that wait for nothing have all run before the next tick. */
const afterMicrotasks = (work: () => void) => queueMicrotask(() => process.nextTick(work))

/** The error comes from a socket; its stack should lead to the code that asked. */
function withCallersStack(error: unknown): never {
  noteCut(error)
  if (error instanceof Error) Error.captureStackTrace(error)
  throw error
}

/** How the rows of a statement are read: known from its first use on. */
interface Shape {
  names: string[]
  parsers: ((text: string) => unknown)[]
}

/** The statements that the server keeps for this connection, by name. PostgreSQL refuses one whose columns have changed since. */
type Prepared = Map<string, { shape?: Shape }>

interface Statement {
  text: string
  /** Empty: not kept. */
  name: string
  values: Value[]
  /** This batch has it parsed. */
  parsed: boolean
  shape?: Shape
  rows: unknown[]
  command: string
  /** A value that couldn't be read. */
  unreadable?: unknown
  resolve(answered: Answered<unknown>): void
  reject(error: unknown): void
}

/** A batch is one query to the driver: from its first message to the server's ReadyForQuery. */
class Batch extends pg.Query {
  readonly statements: Statement[] = []
  readonly #prepared: Prepared
  readonly #typeParser: TypeParser
  /** Whose answer the server is giving. */
  #at = 0

  constructor(prepared: Prepared, typeParser: TypeParser) {
    super('')
    this.#prepared = prepared
    this.#typeParser = typeParser
  }

  override submit = ({ stream }: { stream: Writable }) => {
    const message = new Message()
    for (const statement of this.statements) {
      const { name, text, values } = statement
      const kept = name ? this.#prepared.get(name) : undefined
      if (!kept) {
        if (name) {
          message.close(name) // the server may know it, if it failed just behind its parsing
          this.#prepared.set(name, {})
        }
        message.parse(name, text)
        statement.parsed = true
      }
      message.bind(name, values)
      if (kept?.shape) statement.shape = kept.shape
      else message.describe()
      message.execute()
    }
    if (stream.writable) stream.write(message.synced()) // else the driver is about to tell that the connection is lost
    return null
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
    this.#statement.shape = {
      names: fields.map(({ name }) => name),
      parsers: fields.map(({ dataTypeID }) => this.#typeParser(dataTypeID, 'text')),
    }
  }

  handleDataRow({ fields }: { fields: (string | null)[] }) {
    const statement = this.#statement
    const { names, parsers } = statement.shape!
    const row: Record<string, unknown> = {}
    try {
      for (let n = 0; n < fields.length; n++) {
        const text = fields[n]!
        row[names[n]!] = text === null ? null : parsers[n]!(text)
      }
      statement.rows.push(row)
    } catch (error) {
      statement.unreadable = error
    }
  }

  handleCommandComplete({ text }: { text: string }) {
    const statement = this.#statement
    const { name, shape = NO_ROWS } = statement
    const kept = name && this.#prepared.get(name)
    if (kept) kept.shape = shape
    statement.command = text
    this.#at++
  }

  handleEmptyQuery() {
    this.handleCommandComplete({ text: '' })
  }

  handleCopyInResponse(connection: { sendCopyFail(message: string): void }) {
    connection.sendCopyFail('A pipeline takes no COPY')
  }

  handlePortalSuspended() {}
  handleCopyData() {}

  handleReadyForQuery() {
    for (const { unreadable, rows, command, resolve, reject } of this.statements) {
      if (unreadable) reject(unreadable)
      else resolve({ rows, command })
    }
  }

  handleError(error: unknown) {
    const failed = this.statements.splice(this.#at < this.statements.length ? this.#at : 0) // all, where their common end has failed
    this.handleReadyForQuery()
    for (const [n, { name, parsed, reject }] of failed.entries()) {
      if (parsed || n === 0) this.#prepared.delete(name) // it may not have been parsed, or may not stand any more
      reject(error)
    }
    this.statements.length = 0
  }

  get #statement() {
    return this.statements[this.#at]!
  }
}

const NO_ROWS: Shape = { names: [], parsers: [] }

/** A value as it is sent: text, bytes, or NULL. */
type Value = string | Buffer | null

/** The driver's own conversion of dates, arrays and objects. */
const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as { prepareValue(value: unknown): Value }

function encoded(value: unknown): Value {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? prepareValue(value) : String(value)
}

/** Where messages are written before they are sent. Larger ones get another place, which isn't kept. */
const place = Buffer.allocUnsafe(64 * 1024)

/** Messages of PostgreSQL's extended query protocol (https://www.postgresql.org/docs/current/protocol-message-formats.html), one behind the other. */
class Message {
  #bytes = place
  #length = 0

  close(name: string) {
    this.#message('C', () => this.#text(`S${name}\0`))
  }

  parse(name: string, text: string) {
    this.#message('P', () => {
      this.#text(`${name}\0`)
      this.#text(text)
      this.#text('\0')
      this.#int16(0) // types: the server finds them
    })
  }

  bind(name: string, values: Value[]) {
    this.#message('B', () => {
      this.#text(`\0${name}\0`)
      this.#int16(values.length)
      for (const value of values) this.#int16(typeof value === 'object' && value ? 1 : 0) // bytes or text
      this.#int16(values.length)
      for (const value of values) this.#value(value)
      this.#int16(0) // answers: all as text
    })
  }

  describe() {
    this.#message('D', () => this.#text('P\0'))
  }

  execute() {
    this.#message('E', () => {
      this.#text('\0')
      this.#int32(0) // all rows
    })
  }

  /** All of them, with a Sync behind. */
  synced(): Buffer {
    this.#message('S', () => {})
    const written = this.#bytes.subarray(0, this.#length)
    return this.#bytes === place ? Buffer.from(written) : written
  }

  #message(type: string, write: () => void) {
    this.#text(type)
    const at = this.#length
    this.#int32(0)
    write()
    this.#bytes.writeInt32BE(this.#length - at, at)
  }

  #value(value: Value) {
    const at = this.#length
    this.#int32(-1)
    if (value === null) return
    if (typeof value === 'string') this.#text(value)
    else {
      this.#room(value.length)
      this.#length += value.copy(this.#bytes, this.#length)
    }
    this.#bytes.writeInt32BE(this.#length - at - 4, at)
  }

  #text(text: string) {
    this.#room(text.length * 3) // a unit of a string takes three bytes at most
    this.#length += this.#bytes.write(text, this.#length)
  }

  #int16(value: number) {
    this.#room(2)
    this.#length = this.#bytes.writeUInt16BE(value, this.#length)
  }

  #int32(value: number) {
    this.#room(4)
    this.#length = this.#bytes.writeInt32BE(value, this.#length)
  }

  #room(bytes: number) {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
