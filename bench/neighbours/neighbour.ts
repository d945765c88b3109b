/** Workspace with everyday work. Each part ends when its result is there, or on its signal. */
import { setTimeout as sleep } from 'node:timers/promises'
import { letter } from '../../test/mailboxes.ts'
import type { Submitted } from '../../test/submission.ts'
import { apiAt, dataOf } from './api.ts'
import { connectMailbox, deliver, inboxOf, type Servers, synchronised } from './mailbox.ts'

export const ADDRESS = 'owner@neighbour.example'

interface Home {
  base: string
  token: string
  /** Mails that have left the service. */
  outbox: Submitted[]
  servers: Servers
  /** Receiver of webhooks: its address and the received bodies. */
  receiver: { url: string; bodies: string[] }
}

const POLL_MS = 50

/** Prepares the neighbour's workspace. Returns its tasks, which are timed while another workspace attacks. */
export async function neighbourAt({ base, token, outbox, servers, receiver }: Home) {
  const api = apiAt({ base, token })
  const user = 'neighbour'
  let count = 0
  await deliver(servers.imap, user, [letter(0)])
  const account = await connectMailbox(api, user, servers)
  await synchronised(api, account, 1)
  const [{ id: vendor_id }] = await dataOf(api.get('/vendors?per_page=1'))
  await dataOf(api.post('/webhook-endpoints', { url: `${receiver.url}/neighbour`, types: ['vendor.created'] }))
  const poll = async (signal: AbortSignal, isThere: () => boolean | Promise<boolean>) => {
    while (!(await isThere())) await sleep(POLL_MS, undefined, { signal })
  }

  return {
    /** Creates a purchase order and mails it with its PDF. */
    async mail(signal: AbortSignal) {
      const to = `vendor${++count}@vendor.example`
      const lines = [{ description: `Desk ${count}`, quantity: 1, unit_price: 10 }]
      const { id } = await dataOf(api.post('/purchase-orders', { vendor_id, title: `Desk ${count}`, lines }))
      await dataOf(api.post(`/purchase-orders/${id}/send`))
      await dataOf(api.post(`/purchase-orders/${id}/email`, { to: [to], subject: 'Our order', message: 'Please deliver.' }))
      await poll(signal, () => outbox.some((mail) => mail.to.includes(to)))
    },
    /** Delivers a new message to the server, until it is listed and opened. */
    async mailbox(signal: AbortSignal) {
      const n = ++count
      await deliver(servers.imap, user, [letter(n)])
      await dataOf(api.post(`/email/accounts/${account}/sync`))
      const find = async () => (await inboxOf(api, account)).find(({ subject }) => subject === `Letter ${n}`)
      await poll(signal, async () => Boolean(await find()))
      await dataOf(api.get(`/email/messages/${(await find())!.uuid}`))
    },
    /** Creates a due recurring invoice, until its occurrence exists. */
    async series(signal: AbortSignal) {
      const [today, before] = [Temporal.Now.plainDateISO('UTC'), Temporal.Now.plainDateISO('UTC').subtract({ weeks: 1 })]
      const { id } = await dataOf(
        api.post('/invoices', {
          ...{ title: 'Rent', issue_date: before.toString(), is_recurring: true, recurrence_frequency: 'yearly' },
          ...{ recurrence_next_issue_on: today.subtract({ days: 1 }).toString() },
          lines: [{ name: 'Flat', quantity: 1, unit_price: 900 }],
        }),
      )
      await dataOf(api.post(`/invoices/${id}/send`))
      await poll(signal, async () => (await dataOf(api.get(`/invoices/${id}`))).recurrence_next_issue_on > today.toString())
    },
    /** Creates a vendor, until its webhook arrives. */
    async webhook(signal: AbortSignal) {
      const name = `Told ${++count}`
      await dataOf(api.post('/vendors', { name }))
      await poll(signal, () => receiver.bodies.some((body) => body.includes(name)))
    },
    /** Requests a password reset, until its mail has left. */
    async link(signal: AbortSignal) {
      const already = outbox.filter(isLink).length
      await dataOf(api.post('/auth/forgot-password', { email: ADDRESS }))
      await poll(signal, () => outbox.filter(isLink).length > already)
    },
  }
}

export type Neighbour = Awaited<ReturnType<typeof neighbourAt>>

const isLink = ({ to, message }: Submitted) => to.includes(ADDRESS) && /^Subject: .*Reset/m.test(message)
