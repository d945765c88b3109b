/** Heavy work for the service, its database and its queues. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import { dataOf } from './api.ts'
import { type Attack, type Attacker, fromNetwork } from './attack.ts'
import { ADDRESS } from './neighbour.ts'

const series: Attack = {
  finding: 'C7',
  does: 'weekly series from a year back, and from the year 1',
  async prepare(attacker) {
    const next = Temporal.Now.plainDateISO('UTC').subtract({ weeks: 59 })
    const since = (day: Temporal.PlainDate) => ({
      ...{ title: 'Rent', issue_date: day.subtract({ weeks: 1 }).toString(), is_recurring: true, recurrence_frequency: 'weekly' },
      recurrence_next_issue_on: day.toString(),
      lines: [{ name: 'Flat', quantity: 1, unit_price: 900 }],
    })
    return async (n) => {
      if (n % 5 === 0) return attacker.post('/invoices', since(Temporal.PlainDate.from('0001-01-08')))
      const { body } = await attacker.post('/invoices', since(next))
      if (body?.data) await attacker.post(`/invoices/${body.data.id}/send`)
    }
  },
}

const searches: Attack = {
  finding: 'H3',
  does: '40 searches of the board at once',
  atOnce: 40,
  pause: 0,
  prepare: async (attacker) => (n) => attacker.get(`/leads/board?search=${['ead', 'a', 'x', 'lead.example', 'irm 9'][n % 5]}`),
}

/** Registers, each time from a different network. */
const register = (attacker: Attacker, n: number, email: string) => {
  const password = 'a long passphrase'
  const workspace = { company_name: `Flood ${n}`, owner_name: 'Nobody', email }
  const body = { ...workspace, password, password_confirmation: password }
  return attacker.post('/api/central/v1/public/register-workspace', body, fromNetwork(n))
}

const victims: Attack = {
  finding: 'H4',
  does: 'sixty registrations with the neighbour’s address',
  link: true,
  pause: 500,
  async prepare(attacker) {
    for (let n = 0; n < 60; n += 3) await Promise.all([0, 1, 2].map((m) => register(attacker, n + m, ADDRESS)))
    return (n) => register(attacker, 60 + n, ADDRESS)
  },
}

const registrations: Attack = {
  finding: 'M6',
  does: 'registrations',
  prepare: async (attacker) => (n) => register(attacker, 100_000 + n, `flood${n}@flood.example`),
}

const heavyMails: Attack = {
  finding: 'H6',
  does: 'ten mails with a heavy PDF',
  pause: 500,
  async prepare(attacker) {
    const [{ id: vendor_id }] = await dataOf(attacker.get('/vendors?per_page=1'))
    const orders: number[] = []
    for (let n = 0; n < 10; n++) {
      // Typesetting takes longest if a line may break at every second letter.
      const lines = Array.from({ length: 14 }, (_, line) => {
        return { description: `${n} ${line} ${'a-'.repeat(31_000)}`, quantity: 1, unit_price: 1 }
      })
      const { id } = await dataOf(attacker.post('/purchase-orders', { vendor_id, title: `Heavy ${n}`, lines }))
      await dataOf(attacker.post(`/purchase-orders/${id}/send`))
      orders.push(id)
    }
    const body = { to: ['heavy@flood.example'], subject: 'Heavy', message: 'Heavy' }
    return (n) => attacker.post(`/purchase-orders/${orders[n % orders.length]}/email`, body)
  },
}

const SOCKETS = 60
/** Messages per second and socket, just below the limit. */
const MESSAGES = 45

const sockets: Attack = {
  finding: 'M1',
  does: `${SOCKETS} sockets that never read`,
  atOnce: SOCKETS,
  async prepare(attacker) {
    const { key } = await dataOf(attacker.get('/broadcasting/config'))
    const url = `${attacker.base.replace('http', 'ws')}/app/${key}?protocol=7`
    const data = { channel: `private-${'x'.repeat(190)}`, auth: 'none' } // rejected with a reply that contains it
    const message = JSON.stringify({ event: 'pusher:subscribe', data })
    return async () => {
      const socket = new WebSocket(url)
      socket.on('error', ({ message }) => attacker.count(message))
      socket.on('close', (code) => attacker.count(`closed ${code}`))
      await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => {})
      if (socket.readyState === WebSocket.OPEN) attacker.count('connected')
      socket.pause()
      while (socket.readyState === WebSocket.OPEN && !attacker.ended.aborted) {
        for (let n = 0; n < MESSAGES / 5; n++) socket.send(message)
        await sleep(200, undefined, { signal: attacker.ended }).catch(() => {})
      }
      socket.removeAllListeners('close').terminate()
    }
  },
}

export default [series, searches, victims, heavyMails, sockets, registrations]
