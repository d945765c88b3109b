/** The SMTP server of an account: a connection that is signed in, and a message that goes through it. */
import type { Services } from '#kernel/context.ts'
import { addressOf } from './addresses.ts'
import { Budget, COMMANDS, Meter, TASKS } from './budget.ts'
import type { Server } from './credentials.ts'
import { MailServerError } from './failures.ts'

/** Of one answer, in bytes. The library takes an answer that nobody asked for as an error. */
const MAX_RESPONSE = 64 << 10
/** For the server to close its side of a connection. In milliseconds. */
const CLOSING = 1000

export interface Submission {
  /** Hands a message over; resolves, once the server has taken it, to the recipients for whom it hasn't. Throws NotTaken. */
  send(envelope: { from: string; to: string[] }, message: Buffer): Promise<Rejected[]>
  close(): void
}

/** A recipient for whom the server didn't take a message that it took for others: for good, or for now. */
export interface Rejected {
  recipient: string
  forGood: boolean
}

/** The server said that it doesn't take the message: for good, or for now. Any other failure leaves it open whether it has. */
export class NotTaken extends MailServerError {
  readonly forGood: boolean
  constructor(code: number) {
    super('smtp', 'host', `The SMTP server refuses the message (${code}).`)
    this.forGood = code >= 500
  }
}

/** Connects and signs in. All that is done on the connection is one task, with one budget. */
export async function openSubmission(services: Services, server: Server): Promise<Submission> {
  const { host, servername } = await addressOf(services, 'smtp', server.host)
  const patience = COMMANDS.signIn.seconds * 1000
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
  const connection = new SMTPConnection({
    ...{ host, servername, port: server.port, maxResponseSize: MAX_RESPONSE, socketCloseTimeout: CLOSING },
    ...{ connectionTimeout: patience, greetingTimeout: patience, socketTimeout: COMMANDS.submit.seconds * 1000 },
    secure: server.encryption === 'ssl',
    requireTLS: server.encryption === 'starttls',
    ignoreTLS: server.encryption === 'none',
    logger: false, // it would log what is sent
  })
  connection.on('error', () => {}) // the step at hand fails too
  const meter = new Meter('smtp', new Budget(TASKS.submission), () => connection.close())
  /** Calls back, emits an error, or just ends. */
  const step = <T>(begin: (done: (error?: Error | null, value?: T) => void) => void) =>
    new Promise<T>((resolve, reject) => {
      const ended = () => reject(new Error('The connection has ended'))
      const settle = (settled: () => void) => {
        connection.off('error', reject).off('end', ended)
        settled()
      }
      connection.once('error', reject).once('end', ended)
      begin((error, value) => settle(() => (error ? reject(error) : resolve(value as T))))
    })
  try {
    await meter.run(COMMANDS.signIn, async () => {
      await step((done) => connection.connect(done))
      if (!connection.allowsAuth)
        throw new MailServerError('smtp', 'encryption', 'The SMTP server does not let anybody sign in over this connection.')
      await step((done) => connection.login({ user: server.username, pass: server.password }, done))
    })
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    send: (envelope, message) =>
      meter.run(COMMANDS.submit, async () => {
        try {
          const { rejectedErrors = [] } = await step<{ rejectedErrors?: { recipient: string; responseCode: number }[] }>((done) =>
            connection.send(envelope, message, done as never),
          )
          return rejectedErrors.map(({ recipient, responseCode }) => ({ recipient, forGood: responseCode >= 500 }))
        } catch (error) {
          const { responseCode = 0 } = error as { responseCode?: number }
          throw responseCode >= 400 ? new NotTaken(responseCode) : error
        }
      }),
    /** Whatever the server has to say to QUIT. */
    close() {
      connection.quit()
      setTimeout(() => connection.close(), CLOSING).unref()
    },
  }
}
