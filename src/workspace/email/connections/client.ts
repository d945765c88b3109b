/** An IMAP client for a server, not connected yet. What it reads is bounded, and nothing of it is logged. */
import { ImapFlow } from 'imapflow'
import type { Services } from '#kernel/context.ts'
import { addressOf } from './addresses.ts'
import type { Server } from './credentials.ts'

/** In milliseconds. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000 }
/** What one answer of a server may take of our memory, in bytes. */
const LIMITS = { maxLineLength: 8 << 20, maxLiteralSize: 16 << 20, maxResponseSize: 32 << 20 }

export async function clientFor(services: Services, server: Server): Promise<ImapFlow> {
  const { host, servername } = await addressOf(services, 'imap', server.host)
  const client = new ImapFlow({
    ...{ host, servername, port: server.port, ...TIMEOUTS, ...LIMITS },
    secure: server.encryption === 'ssl',
    ...(server.encryption === 'ssl' ? {} : { doSTARTTLS: server.encryption === 'starttls' }),
    auth: { user: server.username, pass: server.password },
    logger: false, // it would log what is read
    disableAutoIdle: true,
    qresync: true, // where the server has it
    disableCompression: true,
  })
  client.on('error', () => {}) // the command at hand fails too
  return client
}
