/** A mailbox on its IMAP server, as far as we need it. Everything that fails is a MailServerError, and nothing of it is logged. */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { FetchMessageObject, ListResponse, MailboxObject } from 'imapflow'
import type { Services } from '#kernel/context.ts'
import { clientFor } from './client.ts'
import type { Server } from './credentials.ts'
import { failureOf } from './failures.ts'

/** UIDs that are remembered as gone. A server may name every one that it ever gave. */
const MOST_VANISHED = 1_000_000

export interface Mailbox {
  /** Its folders, with what STATUS tells of each. */
  folders(): Promise<ListResponse[]>
  /** Opens a folder for what follows; undefined: there is none of this path. */
  open(path: string): Promise<MailboxObject | undefined>
  /** The UIDs of the open folder above one of them, ascending. */
  uidsAbove(uid: number): Promise<number[]>
  /** The UIDs of those with a Message-ID, ascending. */
  uidsOf(messageId: string): Promise<number[]>
  /** What is needed to list messages: flags, envelope, structure, references. */
  heads(uids: number[]): Promise<FetchMessageObject[]>
  /** Flags of all messages up to a UID, or of those that changed since a state. */
  flags(upTo: number, since: bigint | undefined): AsyncIterable<FetchMessageObject>
  /** The UIDs of the open folder that are gone, as far as the server told by now: one with QRESYNC does with `flags` since a state. */
  vanished(): number[]
  /** The beginnings of parts, by UID and part; as the server has them, encoded. */
  parts(uids: number[], keys: string[], maxLength: number): Promise<Map<number, Map<string, Buffer>>>
  /** Whether a message is still there. */
  has(uid: number): Promise<boolean>
  setFlag(uids: number[], flag: '\\Seen' | '\\Flagged', on: boolean): Promise<void>
  /** Moves to another folder. The new UIDs by the old ones, as far as the server tells them. */
  move(uids: number[], path: string): Promise<Map<number, number>>
  expunge(uids: number[]): Promise<void>
  /** Lays a message into a folder. Its UID, where the server tells it. */
  append(path: string, message: Buffer, at: string): Promise<number | undefined>
  /** A part's content, or its beginning, decoded, as a stream that keeps the connection until it ends; undefined: it isn't there. */
  download(uid: number, part: string, maxBytes?: number): Promise<Readable | undefined>
  close(): Promise<void>
}

const HEAD = {
  ...{ uid: true, flags: true, envelope: true, bodyStructure: true, internalDate: true, size: true },
  headers: ['references', 'in-reply-to'],
}

/** Connects and signs in. */
export async function openMailbox(services: Services, server: Server): Promise<Mailbox> {
  const client = await clientFor(services, server)
  let vanished: number[] = []
  client.on('expunge', ({ uid }) => {
    if (uid !== undefined && vanished.length < MOST_VANISHED) vanished.push(uid)
  })
  const doing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw failureOf('imap', error)
    }
  }
  /** A command that the server refuses resolves to false. */
  const done = async (work: Promise<unknown>) => {
    if ((await doing(work)) === false) throw failureOf('imap', {})
  }
  const byUid = { uid: true }
  try {
    await client.connect()
  } catch (error) {
    client.close()
    throw failureOf('imap', error)
  }

  return {
    folders: () =>
      doing(
        client.list({ statusQuery: { messages: true, unseen: true, uidNext: true, uidValidity: true, highestModseq: true } }),
      ),
    open(path) {
      vanished = []
      return doing(
        client.mailboxOpen(path).catch((error) => {
          if (error.mailboxMissing) return undefined
          throw error
        }),
      )
    },
    vanished: () => vanished,
    async uidsAbove(uid) {
      const found = (await doing(client.search({ uid: `${uid + 1}:*` }, byUid))) as number[] | false | undefined
      if (!found) throw failureOf('imap', {})
      return found.filter((one) => one > uid).sort((a, b) => a - b) // `*` is the last one, even below the range
    },
    async uidsOf(messageId) {
      const found = (await doing(client.search({ header: { 'message-id': messageId } }, byUid))) as number[] | false | undefined
      if (!found) throw failureOf('imap', {})
      return found.sort((a, b) => a - b)
    },
    heads: (uids) => doing(client.fetchAll(rangeOf(uids), HEAD, byUid)),
    async *flags(upTo, since) {
      try {
        const changed = since === undefined ? {} : { changedSince: since }
        yield* client.fetch(`1:${upTo}`, { uid: true, flags: true }, { ...byUid, ...changed })
      } catch (error) {
        throw failureOf('imap', error)
      }
    },
    async parts(uids, keys, maxLength) {
      const query = { uid: true, bodyParts: keys.map((key) => ({ key, start: 0, maxLength })) }
      const found = await doing(client.fetchAll(rangeOf(uids), query, byUid))
      return new Map(found.map(({ uid, bodyParts }) => [uid, bodyParts ?? new Map()]))
    },
    has: async (uid) => Boolean(await doing(client.fetchOne(String(uid), { uid: true }, byUid))),
    setFlag: (uids, flag, on) =>
      done(on ? client.messageFlagsAdd(rangeOf(uids), [flag], byUid) : client.messageFlagsRemove(rangeOf(uids), [flag], byUid)),
    async move(uids, path) {
      const moved = await doing(client.messageMove(rangeOf(uids), path, byUid))
      if (moved === false) throw failureOf('imap', {})
      return moved.uidMap ?? new Map()
    },
    expunge: (uids) => done(client.messageDelete(rangeOf(uids), byUid)),
    async append(path, message, at) {
      const appended = await doing(client.append(path, message, ['\\Seen'], new Date(at)))
      if (appended === false) throw failureOf('imap', {})
      return appended.uid
    },
    async download(uid, part, maxBytes) {
      const { content } = await doing(client.download(String(uid), part, { ...byUid, ...(maxBytes && { maxBytes }) }))
      return content
    },
    async close() {
      const ended = once(client, 'close')
      await client.logout().catch(() => client.close())
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1000).unref())])
    },
  }
}

/** Runs work on a mailbox and closes it, whatever becomes of the work. */
export async function withMailbox<T>(services: Services, server: Server, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  const mailbox = await openMailbox(services, server)
  try {
    return await work(mailbox)
  } finally {
    await mailbox.close()
  }
}

/** A mailbox that can be opened anew, because the connection doesn't outlive what it can't read. */
export interface Connection {
  mailbox: Mailbox
  again(): Promise<Mailbox>
}

/** Runs work on a mailbox that it may open anew. */
export async function connected<T>(services: Services, server: Server, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection: Connection = {
    mailbox: await openMailbox(services, server),
    async again() {
      await connection.mailbox.close()
      return (connection.mailbox = await openMailbox(services, server))
    },
  }
  try {
    return await work(connection)
  } finally {
    await connection.mailbox.close()
  }
}

/** `1:3,7` for 1, 2, 3 and 7. */
function rangeOf(uids: number[]): string {
  const ranges: [number, number][] = []
  for (const uid of uids.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && uid === last[1] + 1) last[1] = uid
    else ranges.push([uid, uid])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`)).join(',')
}
