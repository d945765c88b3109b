/** The SMTP server of an account: a signed-in connection, and sending a message over it. */
import type { Services } from '#kernel/context.ts'
import { addressOf } from './addresses.ts'
import { Budget, COMMANDS, Meter, TASKS } from './budget.ts'
import type { Server } from './credentials.ts'
import { MailServerError } from './failures.ts'

/** Maximum size of one response, in bytes. The library treats an unsolicited response as an error. */
const MAX_RESPONSE = 64 << 10
/** Time the server has to close its side of a connection. In milliseconds. */
const CLOSING = 1000

export interface Submission {
  /**
   * Hands a message over. Once the server has accepted it, resolves to the recipients that were not accepted. Throws NotTaken.
   */
  send(envelope: { from: string; to: string[] }, message: Buffer): Promise<Rejected[]>
  close(): void
}

/** A recipient that the server rejected, for good or for now, while it accepted the message for others. */
export interface Rejected {
  recipient: string
  forGood: boolean
}

/** The server rejected the message: for good, or for now. Any other failure leaves open whether it accepted it. */
export class NotTaken extends MailServerError {
  readonly forGood: boolean
  constructor(code: number) {
    super('smtp', 'host', `The SMTP server refuses the message (${code}).`)
    this.forGood = code >= 500
  }
}

/** Connects and signs in. Everything done on the connection is one task with one budget. */
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
    logger: false, // it would log the mail it sends
  })
  connection.on('error', () => {}) // the current step fails too
  const meter = new Meter('smtp', new Budget(TASKS.submission), () => connection.close())
  /** Runs a step that calls back, emits an error, or just ends the connection. */
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
    /** Closes without waiting for the response to QUIT. */
    close() {
      connection.quit()
      setTimeout(() => connection.close(), CLOSING).unref()
    },
  }
}
