/** Hostile mail servers and mails. */
import { type Behaviour, startGate, type Trap } from '../../test/hostile-gate.ts'
import { startImapThread } from '../../test/imap-thread.ts'
import { letter } from '../../test/mailboxes.ts'
import type { Attack, Attacker } from './attack.ts'
import { connectMailbox, deliver, inboxOf, synchronised } from './mailbox.ts'

const KB = 1024
const MAILBOXES = 4

async function imapServer(attacker: Attacker) {
  const server = await startImapThread()
  attacker.onEnd(server.stop)
  return server
}

async function mailboxAt(attacker: Attacker, user: string, imap: number) {
  const account = await connectMailbox(attacker, user, { imap, smtp: attacker.smtp })
  attacker.onEnd(() => attacker.delete(`/email/accounts/${account}`))
  return account
}

/** Attack by mailboxes, each with a message, on a misbehaving server; they are synchronised repeatedly. */
const servers = (finding: string, does: string, trap: Trap): Attack => ({
  finding,
  does,
  pause: 250,
  async prepare(attacker) {
    const server = await imapServer(attacker)
    const gate = await startGate(server.port)
    attacker.onEnd(gate.stop)
    gate.trap = trap
    const accounts: string[] = []
    for (let n = 0; n < MAILBOXES; n++) {
      await deliver(server.port, `user${n}`, [letter(n)])
      accounts.push(await mailboxAt(attacker, `user${n}`, gate.port))
    }
    return (n) => attacker.post(`/email/accounts/${accounts[n % MAILBOXES]}/sync`)
  },
})

/** Attack by opening a stranger's mails one by one. */
const opened = (finding: string, does: string, copies: number, contentOf: (n: number) => string): Attack => ({
  finding,
  does,
  async prepare(attacker) {
    const { port } = await imapServer(attacker)
    await deliver(
      port,
      'victim',
      Array.from({ length: copies }, (_, n) => contentOf(n)),
    )
    const account = await mailboxAt(attacker, 'victim', port)
    await synchronised(attacker, account, copies)
    const messages = await inboxOf(attacker, account)
    return (n) => attacker.get(`/email/messages/${messages[n % messages.length]!.uuid}`)
  },
})

const html = (n: number, body: string) => letter(n, { head: 'MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8', body })
const sixParts = (n: number, text: string) =>
  letter(n, {
    head: 'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=a',
    body: `${`--a\r\nContent-Type: text/plain\r\n\r\n${text}\r\n`.repeat(6)}--a--\r\n`,
  })

const endless: Behaviour = 'lines'

export default [
  servers('C1', 'a mail server that resets at LOGOUT', { at: / LOGOUT\r\n$/, does: 'reset' }),
  opened('C3', 'opened mails: spaces in <pre>', 60, (n) => html(n, `<pre>a${' '.repeat(120 * KB)}b</pre>`)),
  opened('C3', 'opened mails: 1 MB of <div>', 60, (n) => html(n, `${'<div>'.repeat(190_000)}a`)),
  opened('C3', 'opened mails: six parts of line ends', 20, (n) => sixParts(n, `a${'\n'.repeat(1024 * KB - 10)}b`)),
  servers('C5', 'FETCH answered without end', {
    at: / FETCH /,
    does: endless,
    answer: (n) => `* ${n} FETCH (UID ${n} FLAGS (\\Seen))\r\n`,
  }),
  servers('H5', 'four mail servers that drip', { at: 'greeting', does: 'drip' }),
]
