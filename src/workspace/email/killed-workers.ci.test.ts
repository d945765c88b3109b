/** Ten thousand messages on Dovecot, and workers that are killed while reading them: each message is stored once. */
// CI stage: dovecot
import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { noDovecot, startDovecot } from '#test/dovecot.ts'
import { startTest } from '#test/harness.ts'
import { letter, PASSWORD } from '#test/mailboxes.ts'
import { KILLS, pause, QUICK_HEARTBEAT, workersOf } from '#test/worker-process.ts'

const COUNT = 10_000
const skip = noDovecot()
const world = await startTest({ env: { ALLOW_INTERNAL_MAIL_HOSTS: 'true', ...QUICK_HEARTBEAT } })
const { start, end, endAll } = workersOf(world)
after(endAll)

it(`reads ${COUNT} messages, each once, though ${KILLS} workers are killed meanwhile`, { skip }, async (t) => {
  const dovecot = await startDovecot()
  after(() => dovecot.stop())
  dovecot.deliver(
    'large',
    'INBOX',
    Array.from({ length: COUNT }, (_, n) => letter(n)),
  )
  const { owner } = await world.workspace({ modules: ['email'] })
  const server = (side: string) => ({
    ...{ [`${side}_host`]: '127.0.0.1', [`${side}_port`]: dovecot.port, [`${side}_encryption`]: 'none' },
    ...{ [`${side}_username`]: 'large', [`${side}_password`]: PASSWORD },
  })
  const account = (
    await owner.post('/email/accounts', { email_address: 'large@firm.test', ...server('imap'), ...server('smtp') })
  ).body.data.uuid
  const one = async () => (await owner.get(`/email/accounts/${account}`)).body.data
  for (let kill = 0; kill < KILLS; kill++) {
    const before = (await one()).counts.here
    const worker = await start()
    await owner.post(`/email/accounts/${account}/sync`)
    while ((await one()).counts.here === before) await pause(10)
    await pause(Math.random() * 200)
    await end(worker, 'SIGKILL')
    assert.ok((await one()).counts.here < COUNT, 'killed too late to show anything')
    await world.sql('UPDATE email_accounts SET sync_leased_until = statement_timestamp()') // as if a minute later
  }
  const left = COUNT - (await one()).counts.here
  const began = performance.now()
  const worker = await start()
  await owner.post(`/email/accounts/${account}/sync`)
  while (!(await one()).last_synced_at) await pause(100)
  t.diagnostic(`the last ${left} at ${Math.round((left / (performance.now() - began)) * 1000)} a second, its start included`)
  await end(worker, 'SIGTERM')
  assert.deepEqual((await one()).counts, { on_server: COUNT, here: COUNT, quarantined: 0 })
  const [found] = await world.sql(
    'SELECT count(DISTINCT message_id)::int AS ids, count(DISTINCT uid)::int AS uids FROM email_messages',
  )
  assert.deepEqual(found, { ids: COUNT, uids: COUNT })
})
