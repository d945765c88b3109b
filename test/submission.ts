/** An SMTP server that wants a password and keeps what it is given. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Submitted {
  from: string
  to: string[]
  message: string
}

export async function startSubmission(password: string) {
  const submitted: Submitted[] = []
  const behaviour = {
    /** Before the answer to a message. */
    beforeAnswer: async () => {},
    /** What it says instead of taking a message. */
    refuses: undefined as number | undefined,
    /** What it says instead of taking one for these recipients. */
    refusesFor: {} as Record<string, number>,
    /** What it says instead of letting anybody sign in. */
    admitsNobody: undefined as number | undefined,
  }
  const server = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth(auth, _, done) {
      const { admitsNobody: responseCode } = behaviour
      if (responseCode) return done(Object.assign(new Error('No'), { responseCode }))
      if (auth.password !== password) return done(new Error('Wrong user name or password'))
      done(null, { user: auth.username })
    },
    onRcptTo({ address }, _, done) {
      const responseCode = behaviour.refusesFor[address]
      done(responseCode ? Object.assign(new Error('No'), { responseCode }) : undefined)
    },
    async onData(stream, { envelope }, done) {
      const message = await buffer(stream).then(String, () => undefined)
      if (message === undefined) return // its client was killed in the middle of it
      const { refuses } = behaviour
      if (refuses) return done(Object.assign(new Error('No'), { responseCode: refuses }))
      submitted.push({
        from: (envelope.mailFrom || { address: '' }).address,
        to: envelope.rcptTo.map(({ address }) => address),
        message,
      })
      await behaviour.beforeAnswer()
      done()
    },
  })
  server.on('error', () => {}) // a client that was killed
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    submitted,
    behaviour,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
