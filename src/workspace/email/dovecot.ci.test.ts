/** Runs the mailbox conformance tests against a real server, with TLS. `.ci/run` installs the server and requests these tests. */
// CI stage: dovecot
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { noDovecot, startDovecot } from '#test/dovecot.ts'
import { startTest } from '#test/harness.ts'
import { PASSWORD, promiseMailboxes } from '#test/mailboxes.ts'
import { promiseWatching } from '#test/watching.ts'

const skip = noDovecot()
if (skip) it('keeps the promises of mailboxes on Dovecot', { skip })
else {
  const dovecot = await startDovecot()
  const world = await startTest({ env: { ALLOW_INTERNAL_MAIL_HOSTS: 'true' } })

  // Asynchronous set-up comes first: a file whose tests are all done ends.
  const at = await promiseMailboxes(dovecot, { attachment: 25 * 1024 * 1024 })
  await promiseWatching(at, dovecot)

  it('is connected to by TLS only where its certificate is good for its name', async () => {
    const { owner } = await world.workspace({ modules: ['email'] })
    const test = async (imap: object) => {
      const settings = { host: 'localhost', port: dovecot.tlsPort, encryption: 'ssl', username: 'tls', password: PASSWORD }
      const of = (side: string, some: object) =>
        Object.fromEntries(Object.entries(some).map(([name, value]) => [`${side}_${name}`, value]))
      const smtp = of('smtp', { ...settings, port: 1 }) // no server listens there
      const { status, body } = await owner.post('/email/accounts/test', {
        email_address: 'tls@firm.test',
        ...of('imap', { ...settings, ...imap }),
        ...smtp,
      })
      assert.equal(status, 422)
      return Object.keys(body.errors!).sort()
    }
    const plain = { port: dovecot.port, encryption: 'starttls' }
    assert.deepEqual(await test({}), ['imap_encryption', 'smtp_host'])
    assert.deepEqual(await test(plain), ['imap_encryption', 'smtp_host'])
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(dovecot.certificate, 'utf8')])
    assert.deepEqual(await test({}), ['smtp_host'])
    assert.deepEqual(await test(plain), ['smtp_host'])
    assert.deepEqual(await test({ host: '127.0.0.1' }), ['imap_encryption', 'smtp_host']) // the certificate is for another name
    assert.deepEqual(await test({ password: 'wrong' }), ['imap_password', 'smtp_host'])
    assert.deepEqual(await test({ port: 1 }), ['imap_host', 'smtp_host'])
  })
}
