/** The operations on an IMAP mailbox that we need. Every failure is a MailServerError; nothing is logged. */
import { finished, type Readable } from 'node:stream'
import type { FetchMessageObject, FetchQueryObject, ListResponse, MailboxObject } from 'imapflow'
import type { Services } from '#kernel/context.ts'
import { Budget, COMMANDS, type Limits, SEARCH, TASKS } from './budget.ts'
import { clientFor, type Range } from './client.ts'
import type { Server } from './credentials.ts'
import { FolderRefused, failureOf, MailServerError } from './failures.ts'
import { waitForSlot } from './slots.ts'

/** Maximum ranges of deleted UIDs that are stored. */
const MAX_VANISHED = 100_000
/** Maximum UIDs of one folder. */
const MAX_FOUND = 2_000_000

export interface Mailbox {
  /** Lists the folders with their STATUS. */
  folders(): Promise<ListResponse[]>
  /** Opens a folder for the following calls; undefined if there is none with this path. Throws a FolderRefused. */
  open(path: string): Promise<MailboxObject | undefined>
  /** UIDs of the open folder above the given one, ascending. */
  uidsAbove(uid: number): Promise<number[]>
  /** UIDs of the messages with a Message-ID, ascending. */
  uidsOf(messageId: string): Promise<number[]>
  /** Data needed to list messages: flags, envelope, structure, references, and the date as written in the header. */
  heads(uids: number[]): Promise<FetchMessageObject[]>
  /** Flags of all messages up to a UID, or only of those changed since a mod-sequence. */
  flags(upTo: number, since: bigint | undefined): AsyncIterable<FetchMessageObject>
  /**
   * UIDs of the open folder that the server has reported as deleted so far. A server with QRESYNC does so with `flags` since a
   * mod-sequence.
   */
  vanished(): Range[]
  /** Beginnings of parts, by UID and part; still in their transfer encoding. */
  parts(uids: number[], keys: string[], maxLength: number): Promise<Map<number, Map<string, Buffer>>>
  /** Whether a message still exists. */
  has(uid: number): Promise<boolean>
  setFlag(uids: number[], flag: '\\Seen' | '\\Flagged', on: boolean): Promise<void>
  /** Sets a flag permanently if the folder supports it: some servers have no keywords. */
  mark(uids: number[], flag: '\\Answered' | '$Forwarded'): Promise<void>
  /** Moves messages to another folder. Returns the new UIDs by the old ones, if the server reports them. */
  move(uids: number[], path: string): Promise<Map<number, number>>
  expunge(uids: number[]): Promise<void>
  /**
   * Appends a message to a folder. Returns its UID if the server reports it, and `refused` if the server rejects this message.
   */
  append(path: string, message: Buffer, at: string, flags: string[]): Promise<number | 'refused' | undefined>
  /**
   * Returns a part's content, or its beginning, decoded, as a stream that holds the connection until it ends; undefined if it
   * doesn't exist.
   */
  download(uid: number, part: string, maxBytes?: number): Promise<Readable | undefined>
  close(): Promise<void>
}

const HEAD = {
  ...{ uid: true, flags: true, envelope: true, bodyStructure: true, internalDate: true, size: true },
  headers: ['references', 'in-reply-to', 'date'],
}

/**
 * Connects and signs in for a user's request. Waits for one of the few connections that a user and a workspace may have open at
 * once (503), and has a budget of its own.
 */
export async function openMailbox(
  services: Services,
  server: Server,
  { task = 'request' }: { task?: 'request' | 'download' } = {},
): Promise<Mailbox> {
  const leave = await waitForSlot(services, server.owner)
  try {
    return await connect(services, server, new Budget(TASKS[task]), leave)
  } catch (error) {
    leave()
    throw error
  }
}

async function connect(services: Services, server: Server, budget: Budget, onClose = () => {}): Promise<Mailbox> {
  let vanished: Range[] = []
  const client = await clientFor(services, server, {
    budget,
    onVanished: (ranges) => {
      vanished = [...vanished, ...ranges].slice(0, MAX_VANISHED)
    },
  })
  const { imap, meter } = client
  const byUid = { uid: true }
  try {
    await client.connect()
  } catch (error) {
    imap.close()
    throw error
  }

  /** Runs a command and throws if the server refuses it: the library resolves to false then. */
  const done = async (limits: Limits, work: () => Promise<unknown>) => {
    if ((await meter.run(limits, work)) === false) throw failureOf('imap', {})
  }
  const search = async (query: object) => {
    const found = await meter.run(COMMANDS.search, () => imap.search(query, byUid) as Promise<number[] | false | undefined>)
    if (!found) throw failureOf('imap', {})
    return found
  }
  /** Yields messages as the server sends them; at most a few more than expected. */
  async function* fetch(limits: Limits, count: number, range: string, query: FetchQueryObject, options: object = {}) {
    const command = meter.begin({ ...limits, responses: count + (limits.responses ?? 0) })
    try {
      yield* imap.fetch(range, query, { ...byUid, ...options })
    } catch (error) {
      throw meter.failureFrom(error)
    } finally {
      command.end()
    }
  }
  /** Yields each of the given messages once; skips responses in between, which are about flags. */
  async function fetchThese(
    limits: Limits,
    uids: number[],
    query: FetchQueryObject,
    isAnswer: (one: FetchMessageObject) => unknown,
  ) {
    const open = new Set(uids)
    const found: FetchMessageObject[] = []
    for await (const one of fetch(limits, uids.length, rangeOf(uids), query))
      if (isAnswer(one) && open.delete(one.uid)) found.push(one)
    return found
  }

  return {
    folders: () => {
      const statusQuery = { messages: true, unseen: true, uidNext: true, uidValidity: true, highestModseq: true }
      return meter.run(COMMANDS.list, () => imap.list({ statusQuery }))
    },
    open(path) {
      vanished = []
      const opening = () =>
        imap.mailboxOpen(path).catch((error) => {
          if (error.mailboxMissing) return undefined
          throw error.responseStatus === 'NO' ? new FolderRefused(path, error.serverResponseCode) : error
        })
      return meter.run(COMMANDS.open, opening)
    },
    vanished: () => vanished,
    async uidsAbove(uid) {
      const exists = imap.mailbox ? imap.mailbox.exists : 0
      const query = { uid: `${uid + 1}:*` }
      const found = new Set<number>(exists > SEARCH.messages ? [] : await search(query))
      // From the last to the first: a deletion in the meantime moves the messages above it down, into a range that is still to be
      // searched.
      for (let last = exists; exists > SEARCH.messages && last > 0; last -= SEARCH.messages) {
        for (const one of await search({ seq: `${Math.max(1, last - SEARCH.messages + 1)}:${last}`, ...query })) found.add(one)
        if (found.size > MAX_FOUND) throw new MailServerError('imap', 'host', 'The folder has more messages than can be read.')
      }
      return [...found].filter((one) => one > uid).sort((a, b) => a - b) // `*` is the last message, even if it is below the range
    },
    async uidsOf(messageId) {
      return (await search({ header: { 'message-id': messageId } })).sort((a, b) => a - b)
    },
    heads: (uids) => fetchThese(COMMANDS.heads, uids, HEAD, (one) => one.envelope ?? one.bodyStructure ?? one.headers),
    flags(upTo, since) {
      const exists = imap.mailbox ? imap.mailbox.exists : 0
      const changed = since === undefined ? {} : { changedSince: since }
      return fetch(COMMANDS.flags, exists, `1:${upTo}`, { uid: true, flags: true }, changed)
    },
    async parts(uids, keys, maxLength) {
      const query = { uid: true, bodyParts: keys.map((key) => ({ key, start: 0, maxLength })) }
      const found = await fetchThese(COMMANDS.parts, uids, query, (one) => one.bodyParts)
      return new Map(found.map(({ uid, bodyParts }) => [uid, bodyParts ?? new Map()]))
    },
    has: async (uid) => Boolean(await meter.run(COMMANDS.open, () => imap.fetchOne(String(uid), { uid: true }, byUid))),
    setFlag: (uids, flag, on) =>
      done(COMMANDS.change, () =>
        on ? imap.messageFlagsAdd(rangeOf(uids), [flag], byUid) : imap.messageFlagsRemove(rangeOf(uids), [flag], byUid),
      ),
    async mark(uids, flag) {
      await meter.run(COMMANDS.change, () => imap.messageFlagsAdd(rangeOf(uids), [flag], byUid))
    },
    async move(uids, path) {
      const moved = await meter.run(COMMANDS.change, () => imap.messageMove(rangeOf(uids), path, byUid))
      if (moved === false) throw failureOf('imap', {})
      return moved.uidMap ?? new Map()
    },
    expunge: (uids) => done(COMMANDS.change, () => imap.messageDelete(rangeOf(uids), byUid)),
    async append(path, message, at, flags) {
      const appending = () =>
        imap.append(path, message, flags, new Date(at)).catch((error) => {
          if (error.responseStatus === 'NO' || error.serverResponseCode === 'APPENDLIMIT') return 'refused' as const
          throw error
        })
      const appended = await meter.run(COMMANDS.append, appending)
      if (appended === 'refused') return appended
      if (appended === false) throw failureOf('imap', {})
      return appended.uid
    },
    async download(uid, part, maxBytes) {
      const command = meter.begin(COMMANDS.download)
      try {
        const { content } = await command.race(imap.download(String(uid), part, { ...byUid, ...(maxBytes && { maxBytes }) }))
        if (!content) command.end()
        else {
          command.onExceeded((failure) => content.destroy(failure))
          finished(content, command.end) // it handles the stream's errors from here on
        }
        return content
      } catch (error) {
        command.end()
        throw error
      }
    },
    /** Never throws: a server that breaks off at LOGOUT has already done all of its work. */
    async close() {
      if (imap.usable) await meter.run(COMMANDS.logout, () => imap.logout()).catch(() => {})
      imap.close()
      onClose()
    },
  }
}

/** Runs work on a mailbox and closes it afterwards, even if the work fails. */
export async function withMailbox<T>(services: Services, server: Server, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  const mailbox = await openMailbox(services, server)
  try {
    return await work(mailbox)
  } finally {
    await mailbox.close()
  }
}

/** A mailbox that can be reopened, because a connection doesn't survive a response that it can't parse. */
export interface Connection {
  mailbox: Mailbox
  again(): Promise<Mailbox>
}

/** Runs work on a mailbox that it may reopen, within one budget. */
export async function connected<T>(
  services: Services,
  server: Server,
  budget: Budget,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection: Connection = {
    mailbox: await connect(services, server, budget),
    async again() {
      await connection.mailbox.close()
      return (connection.mailbox = await connect(services, server, budget))
    },
  }
  try {
    return await work(connection)
  } finally {
    await connection.mailbox.close()
  }
}

/** Formats UIDs as ranges: `1:3,7` for 1, 2, 3 and 7. */
function rangeOf(uids: number[]): string {
  const ranges: [number, number][] = []
  for (const uid of uids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && uid === last[1] + 1) last[1] = uid
    else ranges.push([uid, uid])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`)).join(',')
}
