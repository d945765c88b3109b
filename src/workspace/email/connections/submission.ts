/** The SMTP server of an account: a connection that is signed in, and a message that goes through it. */
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Services } from '#kernel/context.ts'
import { addressOf } from './addresses.ts'
import type { Server } from './credentials.ts'
import { failureOf, MailServerError } from './failures.ts'

/** In milliseconds. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 }

export interface Submission {
  /** Hands a message over; resolves, once the server has taken it, to the addresses that it refuses. Throws NotTaken. */
  send(envelope: { from: string; to: string[] }, message: Buffer): Promise<string[]>
  close(): void
}

/** The server said that it doesn't take the message: for good, or for now. Any other failure leaves it open whether it has. */
export class NotTaken extends Error {
  readonly forGood: boolean
  constructor(code: number) {
    super(`The SMTP server refuses the message (${code}).`)
    this.forGood = code >= 500
  }
}

/** Connects and signs in. */
export async function openSubmission(services: Services, server: Server): Promise<Submission> {
  const { host, servername } = await addressOf(services, 'smtp', server.host)
  const connection = new SMTPConnection({
    ...{ host, servername, port: server.port, ...TIMEOUTS },
    secure: server.encryption === 'ssl',
    requireTLS: server.encryption === 'starttls',
    ignoreTLS: server.encryption === 'none',
    logger: false, // it would log what is sent
  })
  /** Calls back, or emits an error. */
  const step = <T>(begin: (done: (error: Error | null | undefined, value?: T) => void) => void) =>
    new Promise<T>((resolve, reject) => {
      connection.once('error', reject)
      begin((error, value) => {
        connection.removeListener('error', reject)
        if (error) reject(error)
        else resolve(value as T)
      })
    })
  connection.on('error', () => {})
  const doing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      connection.close()
      throw failureOf('smtp', error)
    }
  }
  await doing(step((done) => connection.connect(() => done(null))))
  if (!connection.allowsAuth) {
    connection.close()
    throw new MailServerError('smtp', 'encryption', 'The SMTP server does not let anybody sign in over this connection.')
  }
  await doing(step((done) => connection.login({ user: server.username, pass: server.password }, done)))
  return {
    async send(envelope, message) {
      try {
        const { rejected } = await step<{ rejected: string[] }>((done) => connection.send(envelope, message, done as never))
        return rejected
      } catch (error) {
        const { responseCode = 0 } = error as { responseCode?: number }
        if (responseCode >= 400) throw new NotTaken(responseCode)
        throw failureOf('smtp', error)
      }
    },
    close: () => connection.quit(),
  }
}
