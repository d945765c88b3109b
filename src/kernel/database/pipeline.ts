/**
 * Sends the statements of a connection in batches: statements issued without waiting for each other are sent in one write, and
 * end with one Sync. So the server wakes and answers only once, and wakes this process once. A prepared statement is parsed and
 * described only on its first use.
 *
 * After a statement that fails, the server skips the rest of its batch, including a COMMIT. All of these are rejected with the
 * error of the failed one, and the transaction stays open and aborted until it is rolled back.
 */
import { createRequire } from 'node:module'
import type { Writable } from 'node:stream'
import pg from 'pg'
import { noteCut } from './failures.ts'

/** The server's reply to a statement. */
export interface Answered<R> {
  rows: R[]
  /** Command tag of the server: `SELECT 25`, `INSERT 0 1`, `COMMIT`. */
  command: string
}

/** Pipelined statements of a connection. */
export interface Pipeline {
  /**
   * Issues a statement; it is sent once all independent statements have been issued. With a name it stays prepared under that
   * name.
   */
  run<R>(text: string, values?: readonly unknown[], name?: string): Promise<Answered<R>>
  /** Runs work after all independent statements have been issued, before the batch is sent: its statements join the batch. */
  behind<T>(work: () => Promise<T>): Promise<T>
  /** Sends all issued statements now. */
  flush(): void
}

type TypeParser = (oid: number, format: 'text') => (text: string) => unknown

const pipelines = new WeakMap<pg.ClientBase, Pipeline>()

/** Returns the pipeline of a connection. */
export function pipelineOf(client: pg.ClientBase, typeParser: TypeParser): Pipeline {
  let pipeline = pipelines.get(client)
  if (!pipeline) pipelines.set(client, (pipeline = open(client, typeParser)))
  return pipeline
}

function open(client: pg.ClientBase, typeParser: TypeParser): Pipeline {
  const prepared: Prepared = new Map()
  let batch: Batch | undefined
  /** Number of `behind` callbacks that will still issue statements of the batch. */
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
        const sent = values.map(encoded) // values that can't be encoded reject only this statement
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

/** Statements reach the pipeline by microtasks: all independent ones have been issued before the next tick. */
const afterMicrotasks = (work: () => void) => queueMicrotask(() => process.nextTick(work))

/** The error comes from a socket; gives it the stack of the calling code. */
function withCallersStack(error: unknown): never {
  noteCut(error)
  if (error instanceof Error) Error.captureStackTrace(error)
  throw error
}

/** Column names and parsers of a statement's rows; known after its first use. */
interface Shape {
  names: string[]
  parsers: ((text: string) => unknown)[]
}

/** Statements prepared on this connection, by name. PostgreSQL rejects one whose columns have changed since. */
type Prepared = Map<string, { shape?: Shape }>

interface Statement {
  text: string
  /** Empty: not prepared. */
  name: string
  values: Value[]
  /** Whether this batch parses it. */
  parsed: boolean
  shape?: Shape
  rows: unknown[]
  command: string
  /** Error of a value that couldn't be parsed. */
  unreadable?: unknown
  resolve(answered: Answered<unknown>): void
  reject(error: unknown): void
}

/** A batch is a single query for the driver: from its first message to the server's ReadyForQuery. */
class Batch extends pg.Query {
  readonly statements: Statement[] = []
  readonly #prepared: Prepared
  readonly #typeParser: TypeParser
  /** Index of the statement whose reply is being received. */
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
          message.close(name) // the server may know it, if it failed right after parsing
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
    // Otherwise the driver is about to report that the connection is lost.
    if (stream.writable) stream.write(message.synced())
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
    // All of them, if the commit of the batch has failed.
    const failed = this.statements.splice(this.#at < this.statements.length ? this.#at : 0)
    this.handleReadyForQuery()
    for (const [n, { name, parsed, reject }] of failed.entries()) {
      if (parsed || n === 0) this.#prepared.delete(name) // it may not be parsed, or may be invalid now
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

/** Shared buffer for writing messages before they are sent. Larger messages get a temporary one. */
const place = Buffer.allocUnsafe(64 * 1024)

/**
 * Sequence of messages of PostgreSQL's extended query protocol
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
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
      this.#int16(0) // types: inferred by the server
    })
  }

  bind(name: string, values: Value[]) {
    this.#message('B', () => {
      this.#text(`\0${name}\0`)
      this.#int16(values.length)
      for (const value of values) this.#int16(typeof value === 'object' && value ? 1 : 0) // bytes or text
      this.#int16(values.length)
      for (const value of values) this.#value(value)
      this.#int16(0) // results: all as text
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

  /** Returns all messages, followed by a Sync. */
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
    this.#room(text.length * 3) // a code unit of a string takes at most three bytes
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
