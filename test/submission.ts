/** SMTP server that requires a password and stores messages. */
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
    /** Called before the reply to a message. */
    beforeAnswer: async () => {},
    /** Status of its rejection of every message. */
    refuses: undefined as number | undefined,
    /** Status of its rejection, by recipient. */
    refusesFor: {} as Record<string, number>,
    /** Status of its rejection of every sign-in. */
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
      if (message === undefined) return // its client was killed meanwhile
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
  server.on('error', () => {}) // a killed client
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    submitted,
    behaviour,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
