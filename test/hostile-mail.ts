/** Mailbox behind a misbehaving proxy, and invariants that must hold regardless. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startGate, type Trap } from './hostile-gate.ts'
import { startImap } from './imap.ts'
import { clientOf, letter, mailboxWorld } from './mailboxes.ts'

/** Maximum additional memory in bytes. */
const MEMORY = 250 << 20

/** World with an IMAP and an SMTP server behind proxies. Unhandled failures fail the file. */
export async function hostileWorld() {
  const server = await startImap()
  const at = await mailboxWorld(server.port)
  const imap = await startGate(server.port)
  const smtp = await startGate(at.smtp.port)
  const unheard: unknown[] = []
  for (const event of ['unhandledRejection', 'uncaughtExceptionMonitor'] as const)
    process.on(event, (error) => unheard.push(error))
  after(async () => {
    imap.stop()
    smtp.stop()
    await server.stop()
    assert.deepEqual(unheard, [])
  })
  const { owner } = at.firm
  const show = async (account: string) => (await owner.get(`/email/accounts/${account}`)).body.data
  let letters = 0

  return {
    ...at,
    owner,
    imap,
    smtpGate: smtp,
    show,
    /** Creates a synchronised account behind the proxies, and another client of it. */
    async mailbox(user: string) {
      const client = await clientOf(server.port, user)
      client.on('error', () => {}) // it may be silent for long
      const deliver = () => client.append('INBOX', letter(++letters))
      await deliver()
      const account = await at.connect(owner, user, { imap_port: imap.port, smtp_port: smtp.port })
      await at.sync(account)
      return { account, client, deliver }
    },
    /** Runs a synchronisation and returns its error. */
    async failedSync(account: string): Promise<string | null> {
      await owner.post(`/email/accounts/${account}/sync`)
      await at.world.drain()
      return (await show(account)).last_error
    },
    /** Runs work with a trap, which must trigger. Asserts limits of memory and time. */
    async trapped<T>(gate: typeof imap, trap: Trap, work: () => Promise<T>): Promise<T> {
      const { sprung } = gate
      gate.trap = trap
      globalThis.gc?.()
      const before = process.memoryUsage().rss
      let most = 0
      const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - before)), 20)
      try {
        const result = await work()
        assert.ok(gate.sprung > sprung, 'the command never came')
        assert.ok(most < MEMORY, `it took ${most >> 20} MB`)
        return result
      } finally {
        clearInterval(timer)
        gate.trap = undefined
      }
    },
  }
}
