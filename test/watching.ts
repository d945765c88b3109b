/** Conformance tests of watched inboxes, on a server with IDLE. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf, letter, type MailboxWorld, PASSWORD } from './mailboxes.ts'

export async function promiseWatching(at: MailboxWorld, server: { port: number }) {
  const { world, firm } = at
  const { owner } = firm
  const way = await counted(server.port)
  after(() => way.close())

  /** Drains the queue until a condition holds. */
  async function until(what: string, holds: () => Promise<unknown> | unknown) {
    for (let tries = 0; ; tries++) {
      await world.drain()
      if (await holds()) return
      assert.ok(tries < 200, `never: ${what}`)
      await sleep(50)
    }
  }
  const watcherOf = async (uuid: string) =>
    (await world.sql('SELECT watcher, sync_turn::int AS turns FROM email_accounts WHERE uuid = $1', [uuid]))[0] as {
      watcher: string | null
      turns: number
    }

  it('hears of news in the inboxes that are looked at, and of no others', async () => {
    const client = await clientOf(server.port, 'watched')
    await client.append('INBOX', letter(1))
    const [account, other] = [
      await at.connect(owner, 'watched', { imap_port: way.port }),
      await at.connect(owner, 'unwatched', { imap_port: way.port }),
    ]
    await at.sync(account)
    await at.sync(other)
    assert.equal(way.open(), 0)
    const before = (await watcherOf(account)).turns
    await at.list(account, 'INBOX')
    await until('watched', () => way.open() === 1)
    assert.notEqual((await watcherOf(account)).watcher, null)
    assert.equal((await watcherOf(other)).watcher, null)
    await until('the catching up', async () => (await watcherOf(account)).turns > before)
    await until('the synchronisation has ended', () => way.open() === 1)
    await client.append('INBOX', letter(2))
    await until('the new letter', async () => (await at.subjects(account, 'INBOX')).includes('Letter 2'))
    await client.mailboxOpen('INBOX')
    await client.messageFlagsAdd('1', ['\\Seen'])
    await until('the flag', async () => (await at.list(account, 'INBOX'))[0].is_read)
    await client.messageDelete('2')
    await until('the deletion', async () => (await at.subjects(account, 'INBOX')).length === 1)
    // Its own activity ends: a synchronisation triggers no further one.
    await sleep(500)
    await world.drain()
    const { turns } = await watcherOf(account)
    await sleep(500)
    await world.drain()
    assert.equal((await watcherOf(account)).turns, turns)
    await owner.put(`/email/accounts/${account}`, { imap_password: 'wrong' })
    await until('unwatched', async () => way.open() === 0 && (await watcherOf(account)).watcher === null)
    await client.logout()
  })

  it('hears of a letter within seconds, whatever was deleted before it', async () => {
    const client = await clientOf(server.port, 'deleting')
    for (let n = 1; n <= 12; n++) await client.append('INBOX', letter(n))
    const account = await at.connect(owner, 'deleting', { imap_port: way.port })
    await at.sync(account)
    await at.list(account, 'INBOX')
    await until('watched', async () => (await watcherOf(account)).watcher !== null && way.open() > 0)
    await client.mailboxOpen('INBOX')
    let next = 20
    const arrives = async (count = 1) => {
      const fresh = Array.from({ length: count }, () => ++next)
      for (const n of fresh) await client.append('INBOX', letter(n))
      const began = Date.now()
      await until(`letter ${next}`, async () => (await at.subjects(account, 'INBOX')).includes(`Letter ${next}`))
      assert.ok(Date.now() - began < 5000, `letter ${next} after ${Date.now() - began} ms`)
    }
    const deletions: (() => Promise<unknown>)[] = [
      () => client.messageDelete('1'),
      () => client.messageDelete('2:4'),
      () => client.messageMove('2', 'Trash'),
      () => client.messageDelete('1,3,5'),
      async () => {
        await client.messageDelete('1')
        await client.messageDelete('2')
      },
    ]
    const here = async () => (await at.subjects(account, 'INBOX')).length
    // As many messages arrive as were deleted, after the deletions are known: the server's count is unchanged.
    for (const [n, remove] of deletions.entries()) {
      await remove()
      await until('the deletion', async () => (await here()) === (client.mailbox as { exists: number }).exists)
      await arrives([1, 3, 1, 3, 2][n])
    }
    await client.messageDelete('1:*')
    await arrives()
    await owner.del(`/email/accounts/${account}`)
    await until('unwatched', () => way.open() === 0)
    await client.logout()
  })

  it('lets go of a mailbox that is disconnected, and of all when it stops', async () => {
    const accounts: string[] = []
    for (const user of ['leaving', 'staying']) {
      const account = await at.connect(owner, user, { imap_port: way.port })
      await at.sync(account)
      await at.list(account, 'INBOX')
      accounts.push(account)
    }
    await until('both are watched', () => way.open() === 2)
    await owner.del(`/email/accounts/${accounts[0]}`)
    await until('one is left', () => way.open() === 1)
    const { stopWatching } = await import('../src/workspace/email/watch.ts')
    await stopWatching(world.services)
    await until('none is left', async () => way.open() === 0 && (await watcherOf(accounts[1]!)).watcher === null)
  })

  it('is told what is gone, and compares all once a day and where counts differ', async () => {
    const client = await clientOf(server.port, 'vanishing')
    for (let n = 1; n <= 9; n++) await client.append('INBOX', letter(n))
    const account = await at.connect(owner, 'vanishing', { imap_port: way.port })
    await at.sync(account)
    await client.mailboxOpen('INBOX')
    /**
     * Deletes the first message and synchronises. Returns whether the missing one was searched, and whether everything was
     * compared.
     */
    async function deleted() {
      way.said.length = 0
      await client.messageDelete('1')
      const { counts } = await at.sync(account)
      assert.deepEqual(counts, { on_server: client.mailbox ? client.mailbox.exists : 0, here: counts.on_server, quarantined: 0 })
      const said = way.said.join('')
      return [/CHANGEDSINCE \d+ VANISHED/.test(said), /SEARCH .*UID 1:\*/.test(said)]
    }
    const folders = (set: string) => world.sql(`UPDATE email_folders SET ${set} WHERE remote_path = 'INBOX'`)
    assert.deepEqual(await deleted(), [true, false])
    assert.deepEqual(await deleted(), [true, false])
    await folders('highest_modseq = NULL')
    assert.deepEqual(await deleted(), [false, true])
    assert.deepEqual(await deleted(), [true, false])
    await folders(`compared_at = compared_at - interval '25 hours'`)
    assert.deepEqual(await deleted(), [true, true])
    assert.deepEqual(await deleted(), [true, false])
    await client.messageMove('1', 'Archive')
    const [moved] = await at.list(account, 'INBOX')
    await at.sync(account)
    assert.equal((await at.list(account, 'Archive'))[0].uuid, moved.uuid)
    await client.logout()
  })

  it('is done by one process at a time, while it is looked at', async () => {
    const { claim, renew, release } = await import('../src/workspace/email/watch.ts')
    const { stepsIn } = await import('#kernel/jobs/workspace-job.ts')
    const { systemSession } = await import('#kernel/tenancy/session.ts')
    const steps = stepsIn(world.services, await systemSession(world.services, firm.id))
    const uuid = await at.connect(owner, 'claimed', { imap_port: way.port, imap_password: PASSWORD })
    const [{ id }] = await world.sql('SELECT id::int FROM email_accounts WHERE uuid = $1', [uuid])
    const some = Array.from({ length: 5 }, () => crypto.randomUUID())
    const claimAll = async () => (await Promise.all(some.map((one) => claim(steps, one, id)))).flatMap((one) => one ?? [])
    assert.deepEqual(await claimAll(), []) // no user is active
    await world.sql('UPDATE email_accounts SET looked_at = statement_timestamp() WHERE uuid = $1', [uuid])
    const [one, ...more] = await claimAll()
    assert.equal(more.length, 0)
    const place = [{ tenant_id: firm.id, id }]
    const renewed = await Promise.all(some.map((watcher) => renew(world.services, watcher, place)))
    assert.deepEqual(renewed.flat(), place)
    await world.sql(`UPDATE email_accounts SET looked_at = statement_timestamp() - interval '11 minutes' WHERE uuid = $1`, [uuid])
    assert.deepEqual(await renew(world.services, one!.watcher!, place), [])
    await release(world.services, one!.watcher!, place)
    assert.equal((await watcherOf(uuid)).watcher, null)
  })
}

/** Proxy to a server that counts connections and records commands. */
async function counted(port: number) {
  const sockets = new Set<Socket>()
  const said: string[] = []
  const gate = createServer((socket) => {
    const onward = connect(port, '127.0.0.1')
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      onward.destroy()
    })
    onward.on('close', () => socket.destroy())
    for (const one of [socket, onward]) one.on('error', () => {})
    socket.on('data', (bytes) => void said.push(bytes.toString()))
    socket.pipe(onward).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(gate, 'listening')
  return { port: (gate.address() as AddressInfo).port, said, open: () => sockets.size, close: () => void gate.close() }
}
