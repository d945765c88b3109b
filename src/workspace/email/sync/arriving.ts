/** New messages of a folder: from the cursor on, in batches. */

import { Unreadable } from '../connections/failures.ts'
import type { Connection, Mailbox } from '../connections/mailbox.ts'
import type { Remote } from './folder-list.ts'
import type { Lease } from './lease.ts'
import { pushChanges } from './pushing.ts'
import { addSnippets, headOf } from './reading.ts'
import { type Batch, storeBatch } from './storing.ts'

/** Messages that one transaction takes, and that are in memory at once. */
const BATCH = 250

export async function fetchNew(turn: Lease, connection: Connection, { row, path }: Remote, signal: AbortSignal) {
  const opened = await connection.mailbox.open(path)
  if (!opened || Number(opened.uidValidity) !== row.uid_validity) return // the next synchronisation sees to it
  const uids = await connection.mailbox.uidsAbove(row.last_uid)
  const last = Math.max(opened.uidNext - 1, uids.at(-1) ?? 0)
  for (let n = 0; n < uids.length; n += BATCH) {
    signal.throwIfAborted()
    const some = uids.slice(n, n + BATCH)
    const batch = await readBatch(connection, path, some)
    await storeBatch(turn, row, { ...batch, upTo: some.at(-1)! })
    if (await pushChanges(turn, connection)) await connection.mailbox.open(path)
  }
  await storeBatch(turn, row, { heads: [], unreadable: [], upTo: last })
}

/** What can't be read is halved until it is one message, which then goes into quarantine. */
async function readBatch(connection: Connection, path: string, uids: number[]): Promise<Omit<Batch, 'upTo'>> {
  try {
    return await readAll(connection, uids)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    await (await connection.again()).open(path)
    if (uids.length === 1) return { heads: [], unreadable: [{ uid: uids[0]!, reason: error.message }] }
    const half = uids.length >> 1
    const first = await readBatch(connection, path, uids.slice(0, half))
    const second = await readBatch(connection, path, uids.slice(half))
    return { heads: [...first.heads, ...second.heads], unreadable: [...first.unreadable, ...second.unreadable] }
  }
}

async function readAll({ mailbox }: Connection, uids: number[]): Promise<Omit<Batch, 'upTo'>> {
  const batch: Omit<Batch, 'upTo'> = { heads: [], unreadable: [] }
  for (const message of await mailbox.heads(uids))
    try {
      batch.heads.push(headOf(message))
    } catch {
      batch.unreadable.push({ uid: message.uid, reason: 'Its headers can not be read.' })
    }
  await addSnippets(mailbox, batch.heads)
  batch.unreadable.push(...(await passedOver(mailbox, uids, batch)))
  return batch
}

/** Messages that are there, though nothing was told of them: what was told of them made no sense. */
async function passedOver(mailbox: Mailbox, uids: number[], { heads, unreadable }: Omit<Batch, 'upTo'>) {
  const told = new Set([...heads, ...unreadable].map(({ uid }) => uid))
  const untold = uids.filter((uid) => !told.has(uid))
  if (!untold.length) return []
  const there = new Set(await mailbox.uidsAbove(untold[0]! - 1))
  return untold.flatMap((uid) => (there.has(uid) ? [{ uid, reason: 'What the server tells of it can not be read.' }] : []))
}
