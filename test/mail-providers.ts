/** Stand-ins of mail providers' HTTP APIs, with the same checks and replies. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'

export interface Taken {
  path: string
  headers: IncomingHttpHeaders
  body: any
  messageId: string
}

/** Credentials that the stand-ins accept. */
export const credentials = {
  postmark_token: 'postmark-server-token-1a2b',
  mailgun_domain: 'mg.atrium.test',
  mailgun_api_key: 'key-mailgun-3c4d5e6f',
  ses_region: 'eu-central-1',
  ses_access_key_id: 'AKIAEXAMPLE',
  ses_secret_access_key: 'ses-secret-access-key-7g8h',
}

export async function mailProviders() {
  const taken: Taken[] = []
  let refusal: { status: number; body: (headers: IncomingHttpHeaders) => unknown; headers?: Record<string, string> } | undefined
  let nth = 0
  const basic = `Basic ${Buffer.from(`api:${credentials.mailgun_api_key}`).toString('base64')}`

  async function answer(path: string, headers: IncomingHttpHeaders, bytes: Buffer): Promise<[number, unknown]> {
    const messageId = `${crypto.randomUUID().slice(0, 8)}-${++nth}`
    const take = (body: unknown, id = messageId) => taken.push({ path, headers, body, messageId: id })
    if (path === '/email') {
      if (headers['x-postmark-server-token'] !== credentials.postmark_token)
        return [401, { ErrorCode: 10, Message: 'No Account or Server API tokens were supplied.' }]
      take(JSON.parse(bytes.toString()))
      return [200, { To: 'x', SubmittedAt: new Date().toISOString(), MessageID: messageId, ErrorCode: 0, Message: 'OK' }]
    }
    if (path === `/v3/${credentials.mailgun_domain}/messages`) {
      if (headers.authorization !== basic) return [401, { message: 'Invalid private key' }]
      const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': headers['content-type']! } }).formData()
      const fields = [...form.keys()].map((key) => [key, form.getAll(key)] as const)
      take(Object.fromEntries(fields), `${messageId}@${credentials.mailgun_domain}`)
      return [200, { id: `<${messageId}@${credentials.mailgun_domain}>`, message: 'Queued. Thank you.' }]
    }
    if (path === '/v2/email/outbound-emails') {
      const scope = `AWS4-HMAC-SHA256 Credential=${credentials.ses_access_key_id}/`
      if (!headers.authorization?.startsWith(scope)) return [403, { message: 'The security token is invalid.' }]
      const body = JSON.parse(bytes.toString())
      take({ ...body, raw: Buffer.from(body.Content.Raw.Data, 'base64').toString('latin1') })
      return [200, { MessageId: messageId }]
    }
    return [404, { message: 'Not found' }]
  }

  const server = createServer(async (request, reply) => {
    const bytes = await buffer(request)
    const [status, body] = refusal
      ? [refusal.status, refusal.body(request.headers)]
      : await answer(request.url!, request.headers, bytes)
    reply.writeHead(status, { 'content-type': 'application/json', ...refusal?.headers })
    reply.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    taken,
    env: { POSTMARK_API_URL: url, MAILGUN_API_URL: url, SES_API_URL: url },
    /** All further mails get this reply; undefined: accepted again. */
    refuse: (way: typeof refusal) => void (refusal = way),
  }
}
