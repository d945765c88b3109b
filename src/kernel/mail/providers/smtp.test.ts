import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { smtpByUrl } from './smtp.ts'

/** Whether each received mail was encrypted. */
const received: boolean[] = []
const servers: SMTPServer[] = []
after(() => Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))))

/** Starts a server with a self-signed certificate, as Debian's Postfix has by default. */
async function server(options: SMTPServerOptions) {
  const one = new SMTPServer({
    ...options,
    authOptional: true,
    onData(stream, { secure }, done) {
      stream.resume().on('end', () => {
        received.push(secure)
        done()
      })
    },
  })
  one.on('error', () => {}) // from a client that doesn't trust the certificate
  servers.push(one)
  one.listen(0, '127.0.0.1')
  await once(one.server, 'listening')
  return `smtp://localhost:${(one.server.address() as AddressInfo).port}`
}

const mail = {
  uuid: '3f333df6-90a4-4fda-8dd3-9485d27cee36',
  from: { name: 'Atrium', address: 'no-reply@atrium.test' },
  to: ['ida@atrium.test'],
  cc: [],
  bcc: [],
  only: null,
  replyTo: null,
  headers: {},
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  attachments: [],
}
type Tls = Parameters<typeof smtpByUrl>[1]
const send = (url: string, tls: Tls) => smtpByUrl(url, tls).send(mail, AbortSignal.timeout(10_000))

describe('the server of SMTP_URL', async () => {
  const encrypting = await server({})
  const plain = await server({ disabledCommands: ['STARTTLS'] })

  it('is spoken to encrypted where it can, whatever its certificate, by default on this machine', async () => {
    received.length = 0
    for (const tls of [undefined, 'opportunistic'] as const) for (const url of [encrypting, plain]) await send(url, tls)
    assert.deepEqual(received, [true, false, true, false])
  })

  it('is spoken to in the clear where that is said', async () => {
    received.length = 0
    for (const url of [encrypting, plain]) await send(url, 'off')
    assert.deepEqual(received, [false, false])
  })

  it('gets nothing unless its certificate holds, where encryption is required', async () => {
    received.length = 0
    await assert.rejects(send(encrypting, 'required'), /self-signed|certificate/)
    await assert.rejects(send(plain, 'required'), /STARTTLS/)
    assert.deepEqual(received, [])
  })
})
