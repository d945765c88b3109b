/** SMTP as in docs/operations.md, against Debian's Postfix in its default setup: STARTTLS with its self-signed certificate. */
// CI stage: postfix
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inPublic, originOf } from '#kernel/context.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { startTest } from './harness.ts'

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, 'localhost', () => resolve(true)).once('error', () => resolve(false))
    socket.unref()
  })
const skip = (await answers(25)) ? false : 'needs a Postfix of Debian that runs'

/** A user of every Debian, and its mailbox. */
const [USER, MAILBOX] = ['backup', '/var/mail/backup']

describe('Debian’s Postfix on this machine', { skip }, () => {
  async function sent(env: Record<string, string>, to: string) {
    const world = await startTest({ env: { SMTP_URL: 'smtp://localhost:25', MAIL_FROM: 'Atrium <root@localhost>', ...env } })
    const subject = `Hello ${crypto.randomUUID()}`
    const mail = { type: 'test.sent', to: [to], subject, html: '<p>Hi</p>', text: 'Hi' }
    const uuid = await inPublic(originOf(world.services), 'write', (ctx) => sendMail(ctx, mail, 0))
    await world.drain()
    const [{ status, error }] = await world.sql('SELECT status, error FROM email_logs WHERE uuid = $1', [uuid])
    return { status, error, subject }
  }
  /** Waits for a mail in the mailbox and returns it. */
  async function received(subject: string): Promise<string> {
    for (let tries = 0; tries < 100; tries++, await sleep(100)) {
      const mails = existsSync(MAILBOX) ? readFileSync(MAILBOX, 'utf8').split(/^From /m) : []
      const found = mails.find((one) => one.includes(subject))
      if (found) return found
    }
    throw new Error(`${subject} was not delivered`)
  }

  it('is given mail encrypted, whatever its certificate, as the example in the documents says', async () => {
    assert.match(readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8'), /^SMTP_URL=smtp:\/\/localhost:25$/m)
    const { status, subject } = await sent({}, `${USER}@localhost`)
    assert.equal(status, 'sent')
    assert.match(await received(subject), /with ESMTPS/)
  })

  it('is given mail in the clear where that is said, and none where a certificate must hold', async () => {
    const clear = await sent({ SMTP_TLS: 'off' }, `${USER}@localhost`)
    assert.match(await received(clear.subject), /with ESMTP /)
    const { status } = await sent({ SMTP_TLS: 'required' }, `${USER}@localhost`)
    assert.equal(status, 'queued', 'tried again later')
  })

  it('says whom it doesn’t know, and the mail has bounced', async () => {
    const { status, error } = await sent({}, 'nobody-of-this-name@localhost')
    assert.equal(status, 'bounced')
    assert.match(error, /550 5\.1\.1/)
  })
})
