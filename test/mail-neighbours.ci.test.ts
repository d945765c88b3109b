/** Isolation of mail between workspaces: delays by documents, slow recipients, or a flood to one address. */
// CI stage: bounds
import assert from 'node:assert/strict'
import net, { type AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { inPublic, originOf } from '#kernel/context.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import type { Attachment } from '#kernel/mail/mail-log.ts'
import { transportOf } from '#kernel/mail/transport.ts'
import { PASSWORD, startTest, type Workspace } from './harness.ts'
import { mailedToken, mailsTo, operator } from './operator.ts'
import { pause, workersOf } from './worker-process.ts'

const inbox: string[] = []
const tarpit = new Set<net.Socket>()
/** Accepts every mail except those to tarpit.test, which get no reply. */
const peer = new SMTPServer({
  authOptional: true,
  hideSTARTTLS: true,
  closeTimeout: 100,
  onRcptTo({ address }, _, done) {
    if (!address.endsWith('@tarpit.test')) done()
  },
  onData(stream, { envelope }, done) {
    stream.resume()
    stream.on('end', () => {
      inbox.push(envelope.rcptTo[0]!.address)
      done()
    })
  },
})
await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve))
const { port } = peer.server.address() as AddressInfo
const world = await startTest({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } })
/** Behind a proxy, so that requests come from many networks. */
const logging = await startTest({ env: { TRUST_PROXY: '1' } })
const { start: startWorker, end, endAll } = workersOf(world)
let flood: Workspace
let quiet: Workspace

before(async () => {
  flood = await world.workspace({ modules: [] })
  quiet = await world.workspace({ modules: [] })
})
beforeEach(async () => {
  await world.sql('DELETE FROM pgboss.job')
  await world.sql('DELETE FROM rate_limits')
  inbox.length = 0
})
after(async () => {
  await endAll()
  for (const socket of tarpit) socket.destroy()
  await new Promise<void>((resolve) => peer.close(resolve))
})

const send = (of: Workspace, to: string, attachments: Attachment[] = [], type = 'test.sent') =>
  of.inside((ctx) => sendMail(ctx, { type, to: [to], subject: 'x', html: 'x', text: 'x', attachments }))
const pdf = (notes: string): Attachment[] => [
  {
    name: 'x.pdf',
    mime: 'application/pdf',
    drawing: { template: 'billing-documents/document', data: { kind: 'Order', number: '7', notes } },
  },
]
const arrived = async (...to: string[]) => {
  while (!to.every((address) => inbox.includes(address))) await pause(20)
}

describe('a worker’s mail', () => {
  it('waits for no other workspace’s documents', async () => {
    const heavy = (n: number) => pdf(`${n} ${'Many words make many pages. '.repeat(20_000)}`)
    for (let n = 1; n <= 5; n++) await send(flood, `heavy${n}@x.test`, heavy(n))
    await send(quiet, 'plain@x.test')
    await send(quiet, 'small@x.test', pdf('A short note.'))
    const worker = await startWorker()
    await arrived('plain@x.test', 'small@x.test')
    await end(worker, 'SIGKILL')
    assert.equal(inbox[0], 'plain@x.test')
    assert.ok(inbox.filter((to) => to.startsWith('heavy')).length <= 1, inbox.join())
  })

  it('waits for no other workspace’s recipient that never answers, and account mails for no other mail at all', async () => {
    for (let n = 1; n <= 8; n++) await send(flood, `n${n}@tarpit.test`)
    for (let n = 1; n <= 8; n++) await send(quiet, `n${n}@x.test`)
    await send(flood, 'owner@x.test', [], 'auth.reset_password')
    const worker = await startWorker()
    await arrived('owner@x.test', ...Array.from({ length: 8 }, (_, n) => `n${n + 1}@x.test`))
    await end(worker, 'SIGKILL')
  })
})

describe('a provider', () => {
  it('that answers a byte at a time is hung up on', async () => {
    const dripping = net.createServer((socket) => {
      tarpit.add(socket)
      socket.on('error', () => {})
      const drip = setInterval(() => socket.write('2'), 50)
      socket.on('close', () => {
        clearInterval(drip)
        tarpit.delete(socket)
      })
    })
    await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve))
    await world.sql(
      `INSERT INTO platform_settings (key, value, updated_at) VALUES ('mail_provider', '"smtp"', now()), ('smtp_host', '"127.0.0.1"', now()),
       ('smtp_port', $1, now()), ('smtp_encryption', '"none"', now())`,
      [String((dripping.address() as AddressInfo).port)],
    )
    try {
      const transport = await transportOf(world.services)
      const mail = {
        uuid: crypto.randomUUID(),
        to: ['to@x.test'],
        cc: [],
        bcc: [],
        only: null,
        replyTo: null,
        fromName: null,
        headers: {},
        subject: 'x',
      }
      const sending = transport.send({ ...mail, html: 'x', text: 'x', attachments: [] }, AbortSignal.timeout(1000))
      await assert.rejects(sending, /The operation was aborted|took too long/)
      while (tarpit.size) await pause(20)
    } finally {
      await world.sql('DELETE FROM platform_settings')
      await new Promise((resolve) => dripping.close(resolve))
    }
  })
})

describe('a flood of registrations with somebody’s address', () => {
  const register = (email: string, n: number) =>
    logging
      .central()
      .post(
        '/public/register-workspace',
        { company_name: `Flood ${n}`, owner_name: 'Nobody', email, password: PASSWORD, password_confirmation: PASSWORD },
        { headers: { 'x-forwarded-for': `203.0.113.${n}` } },
      )

  it('brings them three mails, and holds up no link for a new password', async () => {
    logging.clock.set('2027-05-01T10:00:00.000Z')
    const { email } = await operator(logging, [])
    const said = new Set<string>()
    for (let n = 0; n < 40; n++) {
      const { status, body } = await register(email, n)
      said.add(JSON.stringify([status, body.message, Object.keys(body.data)]))
    }
    assert.equal(said.size, 1, 'the stranger hears the same each time')
    await logging.central().post('/auth/forgot-password', { email })
    const mails = await mailsTo(logging, email)
    const ofType = (type: string) => mails.filter(({ notification_type }) => notification_type === type).length
    assert.deepEqual([ofType('auth.verify_email'), ofType('auth.reset_password')], [3, 1])
    const waiting = await logging.sql(`SELECT name FROM pgboss.job WHERE name LIKE 'mail%' AND state < 'active'`)
    assert.deepEqual(waiting, [])
  })
})

describe('a flood of one workspace to somebody’s address', () => {
  it('holds up no mail of another workspace to them, nor their link for a new password', async () => {
    logging.clock.set('2027-04-30T10:00:00.000Z')
    const attacker = await logging.workspace({ modules: [] })
    const firm = await logging.workspace({ modules: ['invoices'] })
    const { email } = await firm.user([])
    for (let n = 0; n < 31; n++) await send(attacker, email)
    for (let n = 0; n < 11; n++) await send(attacker, email, [], 'auth.reset_password')
    await logging.drain()
    const lines = [{ name: 'Oak desk', quantity: 1, unit_price: 100 }]
    const { id } = (await firm.owner.post('/invoices', { title: 'Desks', lines })).body.data
    assert.equal((await firm.owner.post(`/invoices/${id}/send`)).status, 200)
    const letter = { subject: 'Your invoice', message: 'Please pay.', to: [email], attach_pdf: false }
    assert.equal((await firm.owner.post(`/invoices/${id}/email`, letter)).status, 200)
    await logging.anonymous.post('/auth/forgot-password', { email, workspace: firm.slug })
    await logging.drain()
    const statusesOf = async (of: Workspace) =>
      (await logging.sql('SELECT status FROM email_logs WHERE tenant_id = $1 AND $2 = ANY ("to")', [of.id, email])).map(
        ({ status }) => status,
      )
    assert.deepEqual(await statusesOf(firm), ['sent', 'sent'])
    const own = await statusesOf(attacker)
    assert.equal(own.filter((status) => status === 'queued').length, 2, 'its own wait')
  })
})

describe('a link whose mail had to wait', () => {
  it('is good for its time from the delivery on', async () => {
    logging.clock.set('2027-05-02T10:00:00.000Z')
    const { email } = await operator(logging, [])
    await inPublic(originOf(logging.services), 'write', async (ctx) => {
      for (let n = 0; n < 10; n++)
        await sendMail(ctx, { type: 'auth.reset_password', to: [email], subject: 'x', html: 'x', text: 'x' })
    })
    await logging.drain()
    for (let n = 0; n < 15; n++) {
      await logging.sql(`DELETE FROM rate_limits WHERE key NOT LIKE 'mail:%'`)
      await logging.central().post('/auth/forgot-password', { email })
    }
    await logging.drain()
    const state = () =>
      logging.sql(
        `SELECT count(*) FILTER (WHERE status = 'queued')::int AS queued FROM email_logs WHERE $1 = ANY ("to") AND sealed <> ''`,
        [email],
      )
    assert.deepEqual(await state(), [{ queued: 5 }], 'five links, however often it is asked, and all of them wait')
    logging.clock.set('2027-05-02T16:00:00.000Z')
    await logging.drain('due')
    assert.deepEqual(await state(), [{ queued: 0 }])
    logging.clock.set('2027-05-02T16:59:00.000Z')
    const token = await mailedToken(logging, 'auth.reset_password', email)
    const reset = { email, token, password: PASSWORD, password_confirmation: PASSWORD }
    assert.equal((await logging.central().post('/auth/reset-password', reset)).status, 200)

    logging.clock.set('2027-05-03T10:00:00.000Z')
    await logging.central().post('/auth/forgot-password', { email })
    const late = await mailedToken(logging, 'auth.reset_password', email)
    logging.clock.set('2027-05-03T11:00:00.000Z')
    assert.equal((await logging.central().post('/auth/reset-password', { ...reset, token: late })).status, 422)
  })
})
