/** Creates an IMAP client for a server, not connected yet. What it reads is limited and counted, and never logged. */
import type { ImapFlow } from 'imapflow'
import type { Services } from '#kernel/context.ts'
import { addressOf } from './addresses.ts'
import { type Budget, COMMANDS, Meter } from './budget.ts'
import type { Server } from './credentials.ts'
import { UNREADABLE } from './failures.ts'
import { inUtf8 } from './raw-text.ts'

/**
 * Limits on a response before it is parsed, in bytes: its text, which takes the parser at worst 400 ms and 170 MB a megabyte, a
 * literal in it, and the whole.
 */
const MAX_TEXT = 256 << 10
const MAX_LITERAL = 16 << 20
const MAX_RESPONSE = 20 << 20
/** Maximum messages that the ranges of one response may expand to, where the library expands them. */
const MAX_EXPANDED = 100_000
/** Maximum time without a byte while a response is awaited. In milliseconds. */
const SILENCE = 60_000

/** First and last UID, inclusive. */
export type Range = [first: number, last: number]

/** Maximum ranges read from a response: 256 KB of `a:b` may be sixty thousand of them. */
const MAX_RANGES = 100_000

export interface Client {
  imap: ImapFlow
  meter: Meter
  /** Connects and signs in. */
  connect(): Promise<void>
}

interface Options {
  budget: Budget
  /**
   * Called with UIDs that the server reports as deleted (QRESYNC). They stay ranges: a few bytes of a server may cover all
   * numbers.
   */
  onVanished?(ranges: Range[]): void
  /**
   * Called when the server reports how many messages the open folder has, even if the number is unchanged: one may have been
   * deleted and another arrived.
   */
  onExists?(): void
}

/** The library's internals that this client uses. `test/watching.ts` fails if they change. */
interface Inside {
  handleResponse(data: { payload: Buffer; literals: Buffer[] }): Promise<boolean>
  untaggedExists(untagged: object): Promise<void>
  untaggedVanished(untagged: { attributes?: ({ value?: unknown } | unknown[] | null)[] }): Promise<void>
  skipLsub: boolean
}

export async function clientFor(services: Services, server: Server, { budget, onVanished, onExists }: Options): Promise<Client> {
  const { host, servername } = await addressOf(services, 'imap', server.host)
  const patience = COMMANDS.signIn.seconds * 1000
  const { ImapFlow } = await import('imapflow')
  const imap = new ImapFlow({
    ...{ host, servername, port: server.port },
    ...{ connectionTimeout: patience, greetingTimeout: patience, socketTimeout: SILENCE },
    ...{ maxLineLength: MAX_TEXT, maxLiteralSize: MAX_LITERAL, maxResponseSize: MAX_RESPONSE },
    secure: server.encryption === 'ssl',
    ...(server.encryption === 'ssl' ? {} : { doSTARTTLS: server.encryption === 'starttls' }),
    auth: { user: server.username, pass: server.password },
    logger: false, // it would log the mail it reads
    disableAutoIdle: true,
    qresync: true, // if the server supports it
    disableCompression: true,
  })
  const meter = new Meter('imap', budget, () => imap.close())
  // The current command fails too, but for a line that is too long its error only reports a closed connection.
  imap.on('error', ({ code }: { code?: unknown }) => void (UNREADABLE.test(String(code)) && meter.refuse(String(code))))
  const inside = imap as unknown as Inside

  const handle = inside.handleResponse.bind(imap)
  inside.handleResponse = async (data) => {
    const read = inUtf8(data)
    const { payload, literals } = read
    if (!meter.count(literals.reduce((sum, { length }) => sum + length, payload.length))) return false
    if (payload.length > MAX_TEXT) meter.refuse('ResponseTooLarge')
    else if (isExpanded(payload) && countOf(rangesIn(payload.toString('latin1'))) > MAX_EXPANDED) meter.refuse('RangeTooLarge')
    else return handle(read)
    return false
  }
  const exists = inside.untaggedExists.bind(imap)
  inside.untaggedExists = async (untagged) => {
    await exists(untagged)
    onExists?.()
  }
  // The library would expand the ranges, and doesn't lower its count of messages: the next arrival would then not change the
  // count.
  inside.untaggedVanished = async ({ attributes = [] }) => {
    const named = attributes.at(-1)
    const value = named && 'value' in named ? named.value : undefined
    if (typeof value !== 'string') return
    const ranges = rangesIn(value)
    const isEarlier = attributes.length > 1 // `(EARLIER)`: deleted before the folder was opened, and not counted since
    if (imap.mailbox && !isEarlier) imap.mailbox.exists = Math.max(0, imap.mailbox.exists - countOf(ranges))
    onVanished?.(ranges)
  }
  inside.skipLsub = true // subscriptions of folders aren't used

  return { imap, meter, connect: () => meter.run(COMMANDS.signIn, () => imap.connect()) }
}

const EXPANDED = ['COPYUID', 'ESEARCH'].map((name) => Buffer.from(name))
const isExpanded = (payload: Buffer) => EXPANDED.some((name) => payload.includes(name))

/** Returns the ranges in a text such as `1:3,7`, ignoring anything around them. */
const rangesIn = (text: string): Range[] =>
  text
    .matchAll(/(?<!\d)(\d{1,10})(?::(\d{1,10}))?(?!\d)/g)
    .take(MAX_RANGES)
    .map(([, first, last = first]): Range => [Math.min(Number(first), Number(last)), Math.max(Number(first), Number(last))])
    .toArray()

const countOf = (ranges: Range[]) => ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
