/** Mailboxes on servers of this machine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, PASSWORD } from '../../test/mailboxes.ts'
import { type Api, dataOf } from './api.ts'

export interface Servers {
  imap: number
  smtp: number
}

/** Connects a mailbox. Returns its uuid. */
export async function connectMailbox(api: Api, user: string, { imap, smtp }: Servers): Promise<string> {
  const server = (side: string, port: number) => ({
    ...{ [`${side}_host`]: '127.0.0.1', [`${side}_port`]: port, [`${side}_encryption`]: 'none' },
    ...{ [`${side}_username`]: user, [`${side}_password`]: PASSWORD },
  })
  const body = { email_address: `${user}@mailbox.example`, ...server('imap', imap), ...server('smtp', smtp) }
  return (await dataOf(api.post('/email/accounts', body))).uuid
}

/** Puts messages into the inbox on the server. */
export async function deliver(imap: number, user: string, messages: string[]) {
  const client = await clientOf(imap, user)
  for (const one of messages) await client.append('INBOX', one)
  await client.logout()
}

const SYNC_TIMEOUT_MS = 60_000

/** Waits until a mailbox has synchronised this number of messages, or has failed. */
export async function synchronised(api: Api, account: string, messages: number) {
  const began = performance.now()
  for (;;) {
    const { last_synced_at, last_error, counts } = await dataOf(api.get(`/email/accounts/${account}`))
    if (last_error || (last_synced_at && counts.here + counts.quarantined >= messages)) return
    if (performance.now() - began > SYNC_TIMEOUT_MS) throw new Error('A mailbox was not synchronised')
    await sleep(100)
  }
}

/** Returns the newest messages of the inbox. */
export async function inboxOf(api: Api, account: string): Promise<{ uuid: string; subject: string }[]> {
  const folders = await dataOf(api.get(`/email/accounts/${account}/folders`))
  const { uuid } = folders.find(({ type }: { type: string }) => type === 'inbox')
  return dataOf(api.get(`/email/folders/${uuid}/messages?per_page=100`))
}
