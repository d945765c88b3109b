/**
 * Limits on what a foreign server may cost: time, bytes and responses, of each command and of each task. An idle timeout isn't
 * enough: a server that sends a byte a second is never idle, and one that never stops responding never times out.
 */
import { failureOf, MailServerError, type Side, Unreadable } from './failures.ts'

export interface Limits {
  /** Wall time. */
  seconds: number
  bytes: number
  /** Untagged responses. Default: as many as the bytes allow. */
  responses?: number
}

const KB = 1024
const MB = 1024 * KB

/** Limits of one command, or of a few that form one step. Tests shorten the times. */
export const COMMANDS = {
  /** From connecting to being signed in; IMAP and SMTP. */
  signIn: { seconds: 20, bytes: 256 * KB, responses: 500 },
  list: { seconds: 120, bytes: MB, responses: 10_000 },
  open: { seconds: 30, bytes: 256 * KB, responses: 1000 },
  search: { seconds: 30, bytes: MB, responses: 1000 },
  /** Responses in excess of one for each requested message, because changes by other clients arrive in between. */
  heads: { seconds: 60, bytes: 16 * MB, responses: 1000 },
  flags: { seconds: 120, bytes: 128 * MB, responses: 1000 },
  parts: { seconds: 60, bytes: 32 * MB, responses: 1000 },
  /** STORE, MOVE, COPY, EXPUNGE. */
  change: { seconds: 30, bytes: 256 * KB, responses: 2000 },
  append: { seconds: 60, bytes: 256 * KB, responses: 1000 },
  /** A part as a stream. Its reader may be slow as well. */
  download: { seconds: 600, bytes: 128 * MB },
  idle: { seconds: 3600, bytes: MB, responses: 10_000 },
  logout: { seconds: 2, bytes: 64 * KB },
  /** A message by SMTP, from MAIL to the response after its last line. */
  submit: { seconds: 120, bytes: MB },
} satisfies Record<string, Limits>

/** Limits of everything that one job or request does with a server, over all of its connections. */
export const TASKS = {
  /** A synchronisation of an account that was fast and successful the last time. */
  fastSync: { seconds: 60, bytes: 128 * MB },
  /** A first synchronisation, or one of a server that is slow or fails. A later one continues with the rest. */
  slowSync: { seconds: 240, bytes: 512 * MB },
  /** A request that a user waits for. */
  request: { seconds: 60, bytes: 96 * MB },
  download: { seconds: 660, bytes: 160 * MB },
  /** Sending one message: signing in, and handing it over. */
  submission: { seconds: 140, bytes: 2 * MB },
  /** A connection that waits for pushed changes. */
  watch: { seconds: 24 * 3600, bytes: 64 * MB },
} satisfies Record<string, Limits>

/** Messages that one SEARCH covers, so that its response is a short line. Tests lower it. */
export const SEARCH = { messages: 20_000 }

/** The budget of a task is used up; the part done by then may still be of use. */
export class BudgetExhausted extends MailServerError {}

/** Remaining budget of a task. */
export class Budget {
  readonly #ends: number
  #bytes: number

  constructor({ seconds, bytes }: Limits) {
    this.#ends = performance.now() + seconds * 1000
    this.#bytes = bytes
  }

  /** Milliseconds left. */
  get time() {
    return this.#ends - performance.now()
  }

  /** Takes bytes from the budget; returns whether they were within it. */
  take(bytes: number) {
    this.#bytes -= bytes
    return this.#bytes >= 0
  }
}

/** A running command. */
interface Command {
  /** Resolves to the result of the work; rejects as soon as a limit is exceeded, whatever the work does afterwards. */
  race<T>(work: Promise<T>): Promise<T>
  /** Registers a callback for when a limit is exceeded. */
  onExceeded(listener: (failure: MailServerError) => void): void
  end(): void
}

/** Measures one connection and closes it when a limit is exceeded; every later command fails for the same reason. */
export class Meter {
  readonly #side: Side
  readonly #budget: Budget
  readonly #disconnect: () => void
  readonly #listeners = new Set<(failure: MailServerError) => void>()
  #bytes = 0
  #responses = 0
  #failure: MailServerError | undefined

  constructor(side: Side, budget: Budget, disconnect: () => void) {
    this.#side = side
    this.#budget = budget
    this.#disconnect = disconnect
  }

  /** Runs a command. Errors are always our own, without the server's text. */
  async run<T>(limits: Limits, work: () => Promise<T>): Promise<T> {
    const command = this.begin(limits)
    try {
      return await command.race(work())
    } finally {
      command.end()
    }
  }

  begin({ seconds, bytes, responses = Number.POSITIVE_INFINITY }: Limits): Command {
    if (this.#failure) throw this.#failure
    this.#bytes = bytes
    this.#responses = responses
    const time = Math.min(seconds * 1000, this.#budget.time)
    const slow = time < seconds * 1000 ? BudgetExhausted : MailServerError
    const timer = setTimeout(() => this.#exceed(new slow(this.#side, 'host', `${this.#server} did not answer in time.`)), time)
    const mine: ((failure: MailServerError) => void)[] = []
    const onExceeded: Command['onExceeded'] = (listener) => {
      if (this.#failure) return listener(this.#failure)
      mine.push(listener)
      this.#listeners.add(listener)
    }
    return {
      race: (work) =>
        new Promise((resolve, reject) => {
          onExceeded(reject)
          work.then(resolve, (error) => reject(this.failureFrom(error)))
        }),
      onExceeded,
      end: () => {
        clearTimeout(timer)
        for (const one of mine) this.#listeners.delete(one)
      },
    }
  }

  /** Returns why a library call failed. */
  failureFrom(error: unknown): Error {
    return this.#failure ?? failureOf(this.#side, error)
  }

  /** Counts bytes read, requested or not. Returns false if a limit is exceeded; the connection is closed then. */
  count(bytes: number): boolean {
    if (this.#failure) return false
    this.#bytes -= bytes
    this.#responses--
    const tooMuch = `${this.#server} sends more than it was asked for.`
    if (this.#responses < 0) this.#exceed(new MailServerError(this.#side, 'host', tooMuch))
    else if (!this.#budget.take(bytes)) this.#exceed(new BudgetExhausted(this.#side, 'host', tooMuch))
    else if (this.#bytes < 0) this.#exceed(new Unreadable(this.#side, 'ResponseTooLarge'))
    return !this.#failure
  }

  /** Closes the connection because it received something unreadable. */
  refuse(code: string) {
    this.#exceed(new Unreadable(this.#side, code))
  }

  get #server() {
    return `The ${this.#side.toUpperCase()} server`
  }

  #exceed(failure: MailServerError) {
    this.#failure ??= failure
    for (const listener of this.#listeners) listener(this.#failure)
    this.#listeners.clear()
    this.#disconnect()
  }
}
