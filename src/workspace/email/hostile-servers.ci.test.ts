/** Mail servers that reset, never stop responding, drip or are silent, at each command: they only affect their own mailbox. */
// CI stage: servers
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BEHAVIOURS, startGate, type Trap } from '#test/hostile-gate.ts'
import { hostileWorld } from '#test/hostile-mail.ts'
import { PASSWORD } from '#test/mailboxes.ts'
import { workersOf } from '#test/worker-process.ts'

const at = await hostileWorld()
const { owner, imap, smtpGate, world } = at
const workers = workersOf(world)
after(workers.endAll)

it('a server that resets at LOGOUT costs nothing', async () => {
  const { account } = await at.mailbox('logout')
  for (const does of ['reset', 'close', 'garbage'] as const)
    assert.equal(await at.trapped(imap, { at: / LOGOUT\r\n$/, does }, () => at.failedSync(account)), null)
})

describe('an answer without end', () => {
  const endless: Record<string, Trap> = {
    FETCH: { at: / FETCH /, does: 'lines', answer: (n) => `* ${n} FETCH (UID ${n} FLAGS (\\Seen))\r\n` },
    SEARCH: { at: / SEARCH /, does: 'lines', answer: (n) => `* SEARCH ${n} ${n + 1} ${n + 2}\r\n` },
    LIST: { at: / LIST /, does: 'lines', answer: (n) => `* LIST (\\HasNoChildren) "." "folder ${n}"\r\n` },
  }
  for (const [command, trap] of Object.entries(endless))
    it(`to ${command} ends the connection`, async () => {
      const { account, deliver } = await at.mailbox(`endless-${command}`)
      await deliver()
      assert.match((await at.trapped(imap, trap, () => at.failedSync(account)))!, /sends more than it was asked for/)
      const { counts } = await at.sync(account)
      assert.deepEqual(counts, { on_server: 2, here: 2, quarantined: 0 })
    })

  it('is not in a few bytes that stand for all numbers', async () => {
    const { account } = await at.mailbox('ranges')
    const all = '* VANISHED (EARLIER) 1:4294967295\r\n'.repeat(200)
    const began = performance.now()
    await at.trapped(imap, { at: / (LIST|STATUS) /, does: 'lines', answer: () => all }, () => at.failedSync(account))
    assert.ok(performance.now() - began < 5000)
  })
})

describe('servers that answer a byte at a time', () => {
  /** Connects accounts of a new workspace to a server that drips, or to a healthy one. */
  async function firm(ports: number[], side = 'imap') {
    const { owner } = await world.workspace({ modules: ['email'] })
    const accounts: string[] = []
    for (const [n, port] of ports.entries()) accounts.push(await at.connect(owner, `drip-${n}`, { [`${side}_port`]: port }))
    const one = async (uuid: string) => (await owner.get(`/email/accounts/${uuid}`)).body.data
    async function send(account_uuid: string) {
      const draft = { account_uuid, to: ['a@x.test'], subject: 'Sent' }
      const { uuid } = (await owner.post('/email/messages/compose', draft)).body.data
      await owner.post(`/email/messages/${uuid}/send`)
      return async () => (await owner.get(`/email/messages/${uuid}`)).body.data.status
    }
    return { owner, accounts, one, send }
  }

  it('hold up nobody else, and are connected to once for a workspace', async () => {
    const dripping = await startGate(0)
    after(() => dripping.stop())
    dripping.trap = { at: 'greeting', does: 'drip' }
    const neighbour = await firm([imap.port])
    await world.drain()
    const [healthy] = neighbour.accounts as [string]
    const { last_synced_at } = await neighbour.one(healthy)
    assert.ok(last_synced_at)
    const alone = await firm(Array(6).fill(dripping.port))
    const worker = await workers.start()
    while (dripping.open() === 0) await sleep(50)
    await sleep(1000)
    assert.equal(dripping.open(), 1)
    for (let n = 0; n < 4; n++) await firm([dripping.port])
    while (dripping.open() < 5) await sleep(50)
    await neighbour.owner.post(`/email/accounts/${healthy}/sync`)
    const began = performance.now()
    while ((await neighbour.one(healthy)).last_synced_at === last_synced_at) {
      assert.ok(performance.now() - began < 8000, 'it waits behind others')
      await sleep(50)
    }
    assert.equal((await alone.one(alone.accounts[0]!)).last_error, null) // it is still running
    await workers.end(worker, 'SIGKILL')
  })

  it('hold up the mail of nobody else', async () => {
    const dripping = await startGate(0)
    after(() => dripping.stop())
    dripping.trap = { at: 'greeting', does: 'drip' }
    const [neighbour, busy] = [await firm([imap.port]), await firm([dripping.port], 'smtp')]
    const queued: (() => Promise<string>)[] = []
    for (let n = 0; n < 6; n++) queued.push(await busy.send(busy.accounts[0]!))
    const worker = await workers.start()
    while (dripping.open() === 0) await sleep(50)
    await sleep(1000)
    assert.equal(dripping.open(), 1)
    const status = await neighbour.send(neighbour.accounts[0]!)
    const began = performance.now()
    while ((await status()) !== 'sent') {
      assert.ok(performance.now() - began < 8000, 'it waits behind others')
      await sleep(50)
    }
    // Killed in the middle of sending: the job that runs each minute finds the workspace's next message.
    await workers.end(worker, 'SIGKILL')
    dripping.trap = undefined
    await world.sql('UPDATE email_accounts SET send_leased_until = statement_timestamp(), smtp_port = $1 WHERE smtp_port = $2', [
      smtpGate.port,
      dripping.port,
    ])
    const { dispatchWaiting } = await import('./compose/outbox.ts')
    await dispatchWaiting.handle(world.services, { data: {} }, { signal: new AbortController().signal, module: undefined })
    await world.drain()
    const states = await Promise.all(queued.map((one) => one()))
    assert.equal(states.filter((state) => state === 'sent').length, 5, states.join())
  })
})

it('an attachment’s HEAD opens no mailbox', async () => {
  const { account, client } = await at.mailbox('head')
  const file = '--a\r\nContent-Type: application/pdf; name="a.pdf"\r\nContent-Disposition: attachment\r\n\r\nPDF\r\n--a--\r\n'
  const head = 'From: a@x.test\r\nSubject: With\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n'
  await client.append('INBOX', head + file)
  await at.sync(account)
  const { uuid, attachments } = (await at.list(account, 'INBOX')).find(({ subject }) => subject === 'With')
  const path = `/api/tenant/v1/email/messages/${uuid}/attachments/${attachments[0].id}`
  const ask = (method: 'HEAD' | 'GET') =>
    world.app.inject({ method, url: path, headers: { authorization: `Bearer ${owner.token}` } })
  imap.trap = { at: 'greeting', does: 'reset' }
  const { sprung } = imap
  const told = await ask('HEAD')
  assert.equal(imap.sprung, sprung)
  assert.equal((await ask('GET')).statusCode, 502)
  imap.trap = undefined
  const given = await ask('GET')
  assert.equal(given.body, 'PDF')
  for (const name of ['content-type', 'content-disposition', 'cache-control'])
    assert.equal(told.headers[name], given.headers[name])
  assert.equal(told.statusCode, 200)
})

it('requests have few connections at once, and then a 503 with Retry-After', async () => {
  const { SLOTS, waitForSlot } = await import('./connections/slots.ts')
  SLOTS.patience = 1000
  const person = { tenantId: 77, userId: 1 } // not used by the tests before
  const slots = await Promise.all(Array.from({ length: 4 }, () => waitForSlot(world.services, person)))
  const [waiting, other] = [waitForSlot(world.services, person), waitForSlot(world.services, { tenantId: 77, userId: 2 })]
  ;(await other)()
  slots.pop()!()
  slots.push(await waiting)
  const refused = await waitForSlot(world.services, person).catch((error) => error)
  assert.deepEqual([refused.status, Boolean(refused.headers['retry-after'])], [503, true])
  for (const leave of slots) leave()
  ;(await waitForSlot(world.services, person))()
})

const flags = { FETCH: (n: number) => `* ${n} FETCH (UID ${n} FLAGS (\\Seen))\r\n` }
const starttls = { instead: 'IMAP4rev1', this: 'IMAP4rev1 STARTTLS' }

/** By command: the set-up that makes the client send it, if not every synchronisation with a new message does. */
const IMAP: Record<string, Partial<Trap> & Pick<Trap, 'at'>> = {
  greeting: { at: 'greeting' },
  CAPABILITY: { at: / CAPABILITY\r\n$/ },
  STARTTLS: { at: / STARTTLS\r\n$/, says: starttls },
  LOGIN: { at: / LOGIN / },
  LIST: { at: / LIST /, answer: (n) => `* LIST () "." "f${n}"\r\n` },
  STATUS: { at: / STATUS / },
  SELECT: { at: / SELECT /, answer: (n) => `* ${n} EXISTS\r\n` },
  SEARCH: { at: / SEARCH /, answer: (n) => `* SEARCH ${n}\r\n` },
  'FETCH of heads': { at: / FETCH .*ENVELOPE/, answer: flags.FETCH },
  'FETCH of parts': { at: / FETCH .*BODY\.PEEK\[1\]/, answer: flags.FETCH },
  STORE: { at: / STORE /, answer: flags.FETCH },
  COPY: { at: / COPY / },
  MOVE: {
    at: / MOVE /,
    answer: () => '* OK [COPYUID 1 1:4294967295 1:4294967295]\r\n',
    says: { instead: 'IMAP4rev1', this: 'IMAP4rev1 MOVE' },
  },
  EXPUNGE: { at: / EXPUNGE/, answer: () => '* 1 EXPUNGE\r\n' },
  APPEND: { at: / APPEND / },
  LOGOUT: { at: / LOGOUT\r\n$/ },
}
const SMTP: Record<string, Partial<Trap> & Pick<Trap, 'at'>> = {
  greeting: { at: 'greeting' },
  EHLO: { at: /^EHLO / },
  STARTTLS: { at: /^STARTTLS/, says: { instead: '250-8BITMIME', this: '250-8BITMIME\r\n250-STARTTLS' } },
  AUTH: { at: /^AUTH / },
  'MAIL FROM': { at: /^MAIL FROM/m },
  'RCPT TO': { at: /^RCPT TO/m },
  DATA: { at: /^DATA\r\n$/m },
  'the last line': { at: /\r\n\.\r\n$/ },
  QUIT: { at: /^QUIT\r\n$/ },
}

/** Shortens the timeouts of all following tests. */
async function beImpatient() {
  const { COMMANDS, TASKS } = await import('./connections/budget.ts')
  for (const one of Object.values(COMMANDS)) one.seconds = 0.7
  TASKS.slowSync.seconds = TASKS.fastSync.seconds = 5
}

describe('a hostile IMAP server', () => {
  before(beImpatient)
  let mine: Awaited<ReturnType<typeof at.mailbox>>

  /** Queues a change that the next synchronisation sends to the server. */
  async function prepare(command: string) {
    const [first] = await at.list(mine.account, 'INBOX')
    if (command === 'STORE') await owner.put(`/email/messages/${first.uuid}`, { is_starred: !first.is_starred })
    else if (['COPY', 'MOVE', 'EXPUNGE'].includes(command)) {
      const { Archive } = await at.folders(mine.account)
      await owner.put(`/email/messages/${first.uuid}`, { folder_uuid: Archive.uuid })
    } else if (command === 'APPEND') {
      const draft = { account_uuid: mine.account, to: ['a@x.test'], subject: 'Laid into Sent' }
      const { uuid } = (await owner.post('/email/messages/compose', draft)).body.data
      await owner.post(`/email/messages/${uuid}/send`)
    } else await mine.deliver()
  }

  for (const [command, about] of Object.entries(IMAP))
    for (const does of BEHAVIOURS)
      it(`at ${command}: ${does}`, async () => {
        mine ??= await at.mailbox('hostile')
        await mine.deliver()
        await at.sync(mine.account)
        await prepare(command)
        if (command === 'STARTTLS') await owner.put(`/email/accounts/${mine.account}`, { imap_encryption: 'starttls' })
        const error = await at.trapped(imap, { ...about, does }, () => at.failedSync(mine.account))
        await owner.put(`/email/accounts/${mine.account}`, { imap_encryption: 'none', imap_password: PASSWORD })
        const { counts } = await at.sync(mine.account)
        // An unreadable message has its reason, and responses after the work no longer matter.
        if (command !== 'LOGOUT' && !counts.quarantined) assert.match(error ?? '', /^The IMAP server /)
        assert.equal(counts.here + counts.quarantined, counts.on_server)
      })
})

describe('a server that goes wrong while it tells news', () => {
  before(beImpatient)
  for (const does of BEHAVIOURS)
    it(`at IDLE: ${does}`, async () => {
      const { listenTo } = await import('./connections/idle.ts')
      const login = { username: 'watched', password: PASSWORD, owner: { tenantId: 77, userId: 2 } }
      const server = { side: 'imap', host: '127.0.0.1', port: imap.port, encryption: 'none', ...login } as const
      const says = { instead: 'IMAP4rev1', this: 'IMAP4rev1 IDLE' }
      let news = 0
      await at.trapped(imap, { at: / IDLE\r\n$/, does, says, answer: (n) => `* ${n} EXISTS\r\n` }, async () => {
        const { sprung } = imap
        const end = listenTo(world.services, server, () => news++)
        while (imap.sprung === sprung || imap.open() > 0) await sleep(20)
        end()
      })
      assert.ok(news > 0)
    })
})

describe('a hostile SMTP server', () => {
  let account: string
  const send = async () => {
    const draft = { account_uuid: account, to: ['a@x.test'], subject: 'Sent' }
    const { uuid } = (await owner.post('/email/messages/compose', draft)).body.data
    await owner.post(`/email/messages/${uuid}/send`)
    await world.drain()
    const retried = `UPDATE pgboss.job SET start_after = statement_timestamp() WHERE name LIKE 'email-send%' AND state = 'retry' RETURNING id`
    while ((await world.sql(retried)).length) await world.drain()
    return (await owner.get(`/email/messages/${uuid}`)).body.data
  }
  for (const [command, about] of Object.entries(SMTP))
    for (const does of BEHAVIOURS)
      it(`at ${command}: ${does}`, async () => {
        account ??= (await at.mailbox('hostile-smtp')).account
        const answer = (n: number) => `250-${n} still here\r\n`
        if (command === 'STARTTLS') await owner.put(`/email/accounts/${account}`, { smtp_encryption: 'starttls' })
        const { status, error } = await at.trapped(smtpGate, { answer, ...about, does }, send)
        await owner.put(`/email/accounts/${account}`, { smtp_encryption: 'none', smtp_password: PASSWORD })
        if (command === 'QUIT') assert.equal(status, 'sent')
        else {
          assert.match(status, /^(failed|queued)$/) // queued: retried later
          assert.match(error, /^(The SMTP server |The connection broke)/)
        }
        assert.equal((await send()).status, 'sent')
      })
})
