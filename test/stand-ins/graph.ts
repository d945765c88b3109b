/** Local stand-in of the ad platform: OAuth, pages, subscriptions and lead forms. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const APP_SECRET = 'app secret of the stand-in'
export const VERIFY_TOKEN = 'verify token of the stand-in'

export async function startGraph() {
  const graph = {
    url: '',
    /** Account tokens by code. */
    codes: new Map([['good-code', 'short-token']]),
    pages: [
      { id: '101', name: 'Bakery', access_token: 'page-token-101' },
      { id: '102', name: 'Café', access_token: 'page-token-102' },
    ],
    subscribed: new Set<string>(),
    leads: new Map<string, Record<string, string>>(),
    /** Requested paths with their methods. */
    asked: [] as string[],
    /** Reply to every request instead. */
    broken: undefined as { status: number; body: string; headers?: Record<string, string> } | undefined,
    close: () => void server.close(),
  }

  const answers: [RegExp, (query: URLSearchParams, id: string, method: string) => unknown][] = [
    [
      /^\/oauth\/access_token$/,
      (query) => {
        if (query.get('client_id') !== 'app-1' || query.get('client_secret') !== APP_SECRET) return undefined
        if (query.get('grant_type') === 'fb_exchange_token') return { access_token: `long-${query.get('fb_exchange_token')}` }
        const access_token = graph.codes.get(query.get('code') ?? '')
        return access_token && query.get('redirect_uri')?.endsWith('/api/oauth/leads/social-ads/callback')
          ? { access_token, token_type: 'bearer' }
          : undefined
      },
    ],
    [
      /^\/me\/accounts$/,
      (query) => {
        if (!proved(query, 'long-short-token')) return undefined
        const from = Number(query.get('after') ?? 0) // one page at a time, so that paging is used
        const next = from + 1 < graph.pages.length ? `${graph.url}/elsewhere` : undefined
        return { data: graph.pages.slice(from, from + 1), paging: { cursors: { after: String(from + 1) }, next } }
      },
    ],
    [
      /^\/(\w+)\/subscribed_apps$/,
      (query, id, method) => {
        if (!proved(query, `page-token-${id}`)) return undefined
        if (method === 'DELETE') graph.subscribed.delete(id)
        else if (query.get('subscribed_fields') === 'leadgen') graph.subscribed.add(id)
        return { success: true }
      },
    ],
    [
      /^\/(\w+)$/,
      (query, id) => {
        const lead = graph.leads.get(id)
        if (!lead || !query.get('access_token')?.startsWith('page-token-')) return undefined
        return { id, field_data: Object.entries(lead).map(([name, value]) => ({ name, values: [value] })) }
      },
    ],
  ]

  const server = createServer(async (request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://graph')
    let body = ''
    for await (const chunk of request) body += chunk
    for (const [name, value] of new URLSearchParams(body)) searchParams.set(name, value)
    graph.asked.push(`${request.method} ${pathname}`)
    if (graph.broken) return reply.writeHead(graph.broken.status, graph.broken.headers).end(graph.broken.body)
    const found = answers.find(([path]) => path.test(pathname))
    const answer = found?.[1](searchParams, found[0].exec(pathname)?.[1] ?? '', request.method ?? 'GET')
    const refused = { error: { message: `Malformed access token ${searchParams.get('access_token')}`, code: 190 } }
    reply.writeHead(answer ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? refused))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  graph.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return graph
}

/** Verifies the token and its proof, which only the app can create. */
const proved = (query: URLSearchParams, token: string) =>
  query.get('access_token') === token &&
  query.get('appsecret_proof') === createHmac('sha256', APP_SECRET).update(token).digest('hex')
