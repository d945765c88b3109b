/** Stand-in of Google's token server and Firebase Cloud Messaging, with the same checks. */
import { generateKeyPairSync, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const PROJECT = 'atrium-test'

interface Refusal {
  status: number
  errorCode?: string
  /** Name of the invalid field. */
  field?: string
}

export async function startFcm() {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const fcm = {
    url: '',
    account: {
      ...{ type: 'service_account', project_id: PROJECT, private_key_id: 'key-1', client_email: 'push@atrium.test' },
      private_key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    /** Accepted messages. */
    sent: [] as { token: string; notification: { title: string; body: string }; data: Record<string, string> }[],
    /** Number of issued access tokens; the last one is valid. */
    granted: 0,
    /** Errors for the next messages, by device. */
    refusals: new Map<string, Refusal[]>(),
    /** Invalidates the issued access tokens. */
    revoke: () => void (current = ''),
    close: () => void server.close(),
  }
  let current = ''

  /** RFC 7523: verifies issuer, scope and signature. */
  function grant(body: string) {
    const form = new URLSearchParams(body)
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const said = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}')
    const now = Date.now() / 1000
    const isRight =
      form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
      JSON.parse(Buffer.from(header, 'base64url').toString()).alg === 'RS256' &&
      verify('RSA-SHA256', Buffer.from(`${header}.${claims}`), keys.publicKey, Buffer.from(signature, 'base64url')) &&
      said.iss === fcm.account.client_email &&
      said.aud === `${fcm.url}/token` &&
      said.scope === 'https://www.googleapis.com/auth/firebase.messaging' &&
      said.iat <= now + 5 &&
      said.exp > now &&
      said.exp - said.iat <= 3600
    if (!isRight) return { status: 400, answer: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } }
    current = `access-${++fcm.granted}`
    return { status: 200, answer: { access_token: current, expires_in: 3599, token_type: 'Bearer' } }
  }

  function send(authorization: string | undefined, body: string) {
    if (!current || authorization !== `Bearer ${current}`) return refused({ status: 401, errorCode: 'UNAUTHENTICATED' })
    const { message } = JSON.parse(body)
    const refusal = fcm.refusals.get(message.token)?.shift()
    if (refusal) return refused(refusal)
    if (Object.values(message.data).some((value) => typeof value !== 'string'))
      return refused({ status: 400, field: 'message.data' })
    fcm.sent.push(message)
    return { status: 200, answer: { name: `projects/${PROJECT}/messages/${fcm.sent.length}` } }
  }

  const server = createServer(async (request: IncomingMessage, reply: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const asked = `${request.method} ${request.url}`
    const { status, answer } =
      asked === 'POST /token'
        ? grant(body)
        : asked === `POST /v1/projects/${PROJECT}/messages:send`
          ? send(request.headers.authorization, body)
          : { status: 404, answer: {} }
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  fcm.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return fcm
}

const refused = ({ status, errorCode = 'INVALID_ARGUMENT', field }: Refusal) => ({
  status,
  answer: {
    error: {
      ...{ code: status, message: 'Refused', status: 'REFUSED' },
      details: [
        { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode },
        ...(field
          ? [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field, description: 'Wrong' }] }]
          : []),
      ],
    },
  },
})
