/**
 * Runs the mailbox conformance tests against a small server without newer extensions, and cases that no real server can be made
 * to produce.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { startImap, UNREADABLE, UNWANTED } from '#test/imap.ts'
import { clientOf, letter, PASSWORD, promiseMailboxes } from '#test/mailboxes.ts'

const server = await startImap()
const at = await promiseMailboxes(server, { attachment: 1024 * 1024 })

it('puts what can not be read into quarantine, with the reason, and reads the rest', async () => {
  const client = await clientOf(server.port, 'quarantine')
  for (let n = 1; n <= 9; n++) await client.append('INBOX', letter(n, n % 4 ? {} : { head: UNREADABLE }))
  const account = await at.connect(at.firm.owner, 'quarantine')
  for (let n = 0; n < 2; n++) {
    const { counts, quarantine } = await at.sync(account)
    assert.deepEqual(counts, { on_server: 9, here: 7, quarantined: 2 })
    assert.deepEqual(
      quarantine.map(({ folder, uid }: any) => [folder, uid]),
      [
        ['INBOX', 8],
        ['INBOX', 4],
      ],
    )
    assert.match(quarantine[0].reason, /can not be read/)
  }
  await client.mailboxOpen('INBOX')
  await client.messageDelete('4')
  assert.deepEqual((await at.sync(account)).counts, { on_server: 8, here: 7, quarantined: 1 })
  await client.logout()
})

it('says in words that nobody takes connections at a port', async () => {
  const nobody = (side: string) => ({
    [`${side}_host`]: '127.0.0.1',
    [`${side}_port`]: 1,
    ...{ [`${side}_encryption`]: 'none', [`${side}_username`]: 'bob', [`${side}_password`]: 'x' },
  })
  const body = { email_address: 'bob@firm.test', ...nobody('imap'), ...nobody('smtp') }
  const { errors } = (await at.firm.owner.post('/email/accounts/test', body)).body
  assert.deepEqual(errors, {
    imap_host: ['The IMAP server takes no connections at this port.'],
    smtp_host: ['The SMTP server takes no connections at this port.'],
  })
})

it('names what is wrong with the certificate of an SMTP server, as with that of an IMAP server', async () => {
  for (const encryption of ['starttls', 'ssl'] as const) {
    const smtp = new SMTPServer({ secure: encryption === 'ssl' }) // self-signed certificate
    smtp.on('error', () => {}) // a client that doesn't trust the certificate
    smtp.listen(0, '127.0.0.1')
    await once(smtp.server, 'listening')
    const { port } = smtp.server.address() as AddressInfo
    const { owner } = at.firm
    const { status, body } = await owner.post('/email/accounts/test', {
      ...{ email_address: 'bob@firm.test', imap_host: '127.0.0.1', imap_port: server.port, imap_encryption: 'none' },
      ...{ imap_username: 'bob', imap_password: PASSWORD, smtp_host: 'localhost', smtp_port: port, smtp_encryption: encryption },
      ...{ smtp_username: 'bob', smtp_password: PASSWORD },
    })
    await new Promise<void>((resolve) => smtp.close(resolve))
    assert.equal(status, 422)
    assert.match(body.errors!.smtp_encryption![0]!, /^The SMTP server shows a certificate that can not be trusted \(\w+\)\.$/)
  }
})

it('keeps a draft that the server does not take, and synchronises the rest', async () => {
  const { owner } = at.firm
  const client = await clientOf(server.port, 'overfull')
  const account = await at.connect(owner, 'overfull')
  await at.sync(account)
  const draft = { account_uuid: account, to: ['ida@x.test'], subject: 'Large', body_text: UNWANTED }
  const { uuid } = (await owner.post('/email/messages/compose', draft)).body.data
  await client.append('INBOX', letter(1))
  await at.sync(account)
  assert.deepEqual([await at.subjects(account, 'INBOX'), await at.subjects(account, 'Drafts')], [['Letter 1'], ['Large']])
  await owner.put(`/email/messages/${uuid}`, { body_text: 'Less' })
  await at.sync(account)
  await client.mailboxOpen('Drafts')
  assert.deepEqual(
    (await client.fetchAll('1:*', { envelope: true })).map(({ envelope }) => envelope?.subject),
    ['Large'],
  )
  await client.logout()
})

it('names a folder that the server does not open, reads the others, and tries it again', async () => {
  const { owner } = at.firm
  const client = await clientOf(server.port, 'closed')
  for (const folder of ['Closed', 'Zeta']) {
    await client.mailboxCreate(folder)
    await client.append(folder, letter(1))
  }
  const account = await at.connect(owner, 'closed')
  const sync = async () => {
    await owner.post(`/email/accounts/${account}/sync`)
    await at.world.drain()
    const { last_error, last_synced_at } = (await owner.get(`/email/accounts/${account}`)).body.data
    return { last_error, last_synced_at }
  }
  const told = 'The IMAP server does not open the folder “Closed” (NOPERM). Everything else is up to date.'
  server.closed.add('Closed')
  const first = await sync()
  assert.deepEqual([first.last_error, typeof first.last_synced_at], [told, 'string'])
  assert.deepEqual([await at.subjects(account, 'Zeta'), await at.subjects(account, 'Closed')], [['Letter 1'], []])
  server.closed.clear()
  await at.sync(account)
  const [known] = await at.list(account, 'Closed')
  assert.equal(known.subject, 'Letter 1')
  // Pending changes for the folder wait, and its stored messages stay.
  server.closed.add('Closed')
  await client.append('Closed', letter(2))
  await client.append('INBOX', letter(3))
  await owner.put(`/email/messages/${known.uuid}`, { is_starred: true })
  const [{ uuid: other }] = await at.list(account, 'Zeta')
  await owner.put(`/email/messages/${other}`, { is_starred: true })
  assert.equal((await sync()).last_error, told)
  assert.deepEqual([await at.subjects(account, 'INBOX'), await at.subjects(account, 'Closed')], [['Letter 3'], ['Letter 1']])
  const starred = async (folder: string) => {
    await client.mailboxOpen(folder)
    return (await client.fetchAll('1', { flags: true }))[0]?.flags?.has('\\Flagged')
  }
  server.closed.clear()
  assert.deepEqual([await starred('Zeta'), await starred('Closed')], [true, false])
  await at.sync(account)
  assert.deepEqual([await starred('Closed'), await at.subjects(account, 'Closed')], [true, ['Letter 1', 'Letter 2']])
  await client.logout()
})

it('names a few of many folders that the server does not open', async () => {
  const names = Array.from({ length: 7 }, (_, n) => `Many ${n}`)
  const client = await clientOf(server.port, 'many-closed')
  for (const name of names) {
    await client.mailboxCreate(name)
    server.closed.add(name)
  }
  const account = await at.connect(at.firm.owner, 'many-closed')
  await at.firm.owner.post(`/email/accounts/${account}/sync`)
  await at.world.drain()
  server.closed.clear()
  const { last_error } = (await at.firm.owner.get(`/email/accounts/${account}`)).body.data
  assert.match(last_error, /^The IMAP server does not open the folders “Many 0” \(NOPERM\), .*“Many 4” \(NOPERM\) and 2 more\. /)
  await client.logout()
})

describe('a message that the SMTP server does not take', () => {
  const { owner } = at.firm
  const { behaviour, submitted } = at.smtp
  let account: string
  before(async () => {
    account = await at.connect(owner, 'greylisted')
  })
  after(() => at.world.clock.set(undefined))
  const send = async (subject: string) => {
    const draft = { account_uuid: account, to: ['ida@x.test'], subject, body_text: 'Hello' }
    const { uuid } = (await owner.post('/email/messages/compose', draft)).body.data
    assert.equal((await owner.post(`/email/messages/${uuid}/send`)).status, 200)
    await at.world.drain('due')
    return uuid as string
  }
  const state = async (uuid: string) => {
    const { status, error } = (await owner.get(`/email/messages/${uuid}`)).body.data
    return { status, error }
  }
  const sent = (subject: string) => submitted.filter(({ message }) => message.includes(`Subject: ${subject}`)).length
  const moveOn = async (seconds: number) => {
    at.world.clock.set(new Date(Date.parse(at.world.clock.now()) + seconds * 1000).toISOString())
    await at.world.drain('due')
  }

  it('for now is tried again, and holds up no other', async () => {
    at.world.clock.set('2027-03-01T08:00:00.000Z')
    behaviour.refuses = 451
    const grey = await send('Grey')
    assert.deepEqual(await state(grey), {
      status: 'queued',
      error: 'The SMTP server refuses the message (451). It is tried again.',
    })
    behaviour.refuses = undefined
    assert.equal((await state(await send('Other'))).status, 'sent')
    await moveOn(29)
    assert.deepEqual([(await state(grey)).status, sent('Grey')], ['queued', 0])
    await moveOn(1)
    assert.deepEqual([await state(grey), sent('Grey')], [{ status: 'sent', error: null }, 1])
  })

  it('for some of its recipients is sent to those again whom it is not taken for yet, and to nobody else', async () => {
    behaviour.refusesFor = { 'ida@x.test': 451, 'jan@x.test': 550 }
    const draft = { account_uuid: account, to: ['ida@x.test', 'jan@x.test', 'kai@x.test'], subject: 'Parts', body_text: 'Hello' }
    const { uuid } = (await owner.post('/email/messages/compose', draft)).body.data
    await owner.post(`/email/messages/${uuid}/send`)
    await at.world.drain('due')
    const told = 'Refused for jan@x.test. Not taken yet, and tried again, for ida@x.test'
    assert.deepEqual(await state(uuid), { status: 'sent', error: told })
    await moveOn(299)
    assert.deepEqual([await state(uuid), sent('Parts')], [{ status: 'sent', error: told }, 1])
    await moveOn(1) // and still not
    behaviour.refusesFor = {}
    await moveOn(299)
    assert.deepEqual([await state(uuid), sent('Parts')], [{ status: 'sent', error: told }, 1])
    await moveOn(1)
    assert.deepEqual(await state(uuid), { status: 'sent', error: 'Refused for jan@x.test' })
    const all = submitted.filter(({ message }) => message.includes('Subject: Parts'))
    assert.deepEqual(
      all.map(({ to }) => to),
      [['kai@x.test'], ['ida@x.test']],
    )
    assert.match(all[1]!.message, /^To: ida@x\.test, jan@x\.test, kai@x\.test\r$/m)
    await moveOn(24 * 3600)
    assert.equal(sent('Parts'), 2)
  })

  it('for some of its recipients is tried for a day', async () => {
    behaviour.refusesFor = { 'ida@x.test': 451 }
    const draft = { account_uuid: account, to: ['ida@x.test', 'kai@x.test'], subject: 'Never', body_text: 'Hello' }
    const { uuid } = (await owner.post('/email/messages/compose', draft)).body.data
    await owner.post(`/email/messages/${uuid}/send`)
    await at.world.drain('due')
    for (let n = 0; n < 12; n++) await moveOn(6 * 3600)
    behaviour.refusesFor = {}
    await moveOn(6 * 3600)
    assert.deepEqual(await state(uuid), { status: 'sent', error: 'Not taken for a day for ida@x.test' })
    assert.equal(sent('Never'), 1)
  })

  it('because nobody may sign in at the moment is tried again, and with a wrong password has failed within minutes', async () => {
    behaviour.admitsNobody = 454
    const later = await send('Later')
    assert.deepEqual(await state(later), {
      status: 'queued',
      error: 'The SMTP server lets nobody sign in at the moment. It is tried again.',
    })
    behaviour.admitsNobody = undefined
    await moveOn(60)
    assert.equal((await state(later)).status, 'sent')
    behaviour.admitsNobody = 535
    const wrong = await send('Wrong')
    const tries = `UPDATE pgboss.job SET start_after = statement_timestamp() WHERE name LIKE 'email-send%' AND state = 'retry' RETURNING id`
    while ((await at.world.sql(tries)).length) await at.world.drain()
    behaviour.admitsNobody = undefined
    assert.deepEqual(await state(wrong), { status: 'failed', error: 'The SMTP server refuses the user name or the password.' })
  })

  it('because it is away is tried for a day, after pauses that grow to six hours', async () => {
    await owner.put(`/email/accounts/${account}`, { smtp_port: 1 })
    const uuid = await send('Away')
    const pauses: number[] = []
    const waiting = async () => {
      const [job] = await at.world.sql(
        `SELECT data->>'due' AS due FROM pgboss.job JOIN email_messages m ON m.uuid = $1 AND m.id::text = data->'data'->>'message_id'
         WHERE state = 'created' AND name LIKE 'email-send%'`,
        [uuid],
      )
      return job && (Date.parse(job.due) - Date.parse(at.world.clock.now())) / 1000
    }
    for (let pause = await waiting(); pause !== undefined; pause = await waiting()) {
      pauses.push(pause)
      await moveOn(pause)
    }
    assert.deepEqual(pauses, [30, 30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 15_360, 21_600, 21_600, 21_600])
    assert.deepEqual(await state(uuid), { status: 'failed', error: 'The SMTP server takes no connections at this port.' })
    await owner.put(`/email/accounts/${account}`, { smtp_port: at.smtp.port, smtp_password: PASSWORD })
    assert.equal((await owner.post(`/email/messages/${uuid}/send`)).status, 200) // explicitly, by its author
    await at.world.drain()
    assert.deepEqual([(await state(uuid)).status, sent('Away')], ['sent', 1])
  })
})

it('searches large folders piece by piece', async () => {
  const { SEARCH } = await import('./connections/budget.ts')
  const { messages } = SEARCH
  after(() => void (SEARCH.messages = messages))
  SEARCH.messages = 3
  const client = await clientOf(server.port, 'large')
  for (let n = 1; n <= 10; n++) await client.append('INBOX', letter(n))
  const account = await at.connect(at.firm.owner, 'large')
  assert.deepEqual((await at.sync(account)).counts, { on_server: 10, here: 10, quarantined: 0 })
  await client.mailboxOpen('INBOX')
  await client.messageDelete('2:3')
  await client.append('INBOX', letter(11))
  assert.deepEqual((await at.sync(account)).counts, { on_server: 9, here: 9, quarantined: 0 })
  const left = [1, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => `Letter ${n}`)
  assert.deepEqual(await at.subjects(account, 'INBOX'), left)
  await client.logout()
})
