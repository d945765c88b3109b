/** An IMAP client for a server, not connected yet. What it reads is bounded and counted, and nothing of it is logged. */
import type { ImapFlow } from 'imapflow'
import type { Services } from '#kernel/context.ts'
import { addressOf } from './addresses.ts'
import { type Budget, COMMANDS, Meter } from './budget.ts'
import type { Server } from './credentials.ts'
import { UNREADABLE } from './failures.ts'
import { inUtf8 } from './raw-text.ts'

/** What is read of a response before it is parsed: its text, which takes the parser 400 ms and 170 MB a megabyte at worst, and a literal in it. In bytes. */
const MAX_TEXT = 256 << 10
const MAX_LITERAL = 16 << 20
const MAX_RESPONSE = 20 << 20
/** Messages that the ranges of one response may stand for, where the library expands them. */
const MAX_EXPANDED = 100_000
/** Without a byte, though something is awaited. In milliseconds. */
const SILENCE = 60_000

/** First and last, inclusive. */
export type Range = [first: number, last: number]

/** Most of a response: `a:b` in 256 KB may be sixty thousand of them. */
const MAX_RANGES = 100_000

export interface Client {
  imap: ImapFlow
  meter: Meter
  /** Connects and signs in. */
  connect(): Promise<void>
}

interface Options {
  budget: Budget
  /** UIDs that the server names as gone (QRESYNC). They stay ranges: a few bytes of a server may stand for all numbers. */
  onVanished?(ranges: Range[]): void
  /** The server tells how many messages the open folder has, be it as many as before: one may have gone, and another come. */
  onExists?(): void
}

/** What is used of the library's inside. `test/watching.ts` notices when that is no more. */
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
    logger: false, // it would log what is read
    disableAutoIdle: true,
    qresync: true, // where the server has it
    disableCompression: true,
  })
  const meter = new Meter('imap', budget, () => imap.close())
  // The command at hand fails too, but of a line that is too long it says only that the connection is gone.
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
  // The library would expand the ranges, and leaves the count of messages as it was: the next one to arrive would bring it to the same number.
  inside.untaggedVanished = async ({ attributes = [] }) => {
    const named = attributes.at(-1)
    const value = named && 'value' in named ? named.value : undefined
    if (typeof value !== 'string') return
    const ranges = rangesIn(value)
    const isEarlier = attributes.length > 1 // `(EARLIER)`: gone before the folder was opened, and not counted since
    if (imap.mailbox && !isEarlier) imap.mailbox.exists = Math.max(0, imap.mailbox.exists - countOf(ranges))
    onVanished?.(ranges)
  }
  inside.skipLsub = true // nobody asks which folders are subscribed

  return { imap, meter, connect: () => meter.run(COMMANDS.signIn, () => imap.connect()) }
}

const EXPANDED = ['COPYUID', 'ESEARCH'].map((name) => Buffer.from(name))
const isExpanded = (payload: Buffer) => EXPANDED.some((name) => payload.includes(name))

/** `1:3,7`, and whatever stands around it. */
const rangesIn = (text: string): Range[] =>
  text
    .matchAll(/(?<!\d)(\d{1,10})(?::(\d{1,10}))?(?!\d)/g)
    .take(MAX_RANGES)
    .map(([, first, last = first]): Range => [Math.min(Number(first), Number(last)), Math.max(Number(first), Number(last))])
    .toArray()

const countOf = (ranges: Range[]) => ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
