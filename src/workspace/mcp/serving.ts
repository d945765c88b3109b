/**
 * MCP protocol by its official SDK: Streamable HTTP without sessions, in the revisions 2026-07-28 and those of 2025. Each message
 * is a separate request with a JSON reply, and any process can serve it.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { WorkspaceSteps } from '#kernel/context.ts'
import type { Answer } from '#kernel/http/answer.ts'
import type { Caller } from './operations.ts'
import { giveTools, INSTRUCTIONS } from './tools.ts'

/** A JSON-RPC 2.0 message, as far as it was validated. */
export interface Message {
  method: string
  params?: Record<string, unknown>
}

/** Handles a message of an agent. */
export async function serveMessage(steps: WorkspaceSteps, headers: IncomingHttpHeaders, sent: Message): Promise<Answer> {
  const { createMcpHandler, isLegacyRequest, McpServer, WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/server'
  )
  const client = clientIn(sent, headers)
  const message = introduced(sent)
  // Permissions are read for each message: a revoked or narrowed key is rejected here too.
  const abilities = await steps.read(async ({ actor, can, entitled }) => ({ actor, can, entitled }))
  const caller: Caller = { ...steps, ...abilities, credentials: credentialsIn(headers), client: client ?? UNNAMED }
  const request = new Request(`${steps.services.config.BASE_URL}${PATH}`, {
    method: 'POST',
    headers: spokenIn(headers),
    body: '{}',
  })
  const makeServer = async () => {
    const server = new McpServer({ name: 'Atrium', version: '1' }, { instructions: INSTRUCTIONS })
    await giveTools(server, caller)
    return server
  }
  const parsed = { parsedBody: message }
  if (!(await isLegacyRequest(request, message)))
    return answerOf(await createMcpHandler(makeServer, { legacy: 'reject', maxSubscriptions: 0 }).fetch(request, parsed))
  const server = await makeServer()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    const answer = await answerOf(await transport.handleRequest(request, parsed))
    if (message.method === 'initialize' && client) answer.headers['mcp-session-id'] = remembering(client)
    return answer
  } finally {
    await server.close()
  }
}

const PATH = '/api/tenant/v1/mcp'

/** Returns the protocol's headers. Replies are always JSON, whatever else the client accepts. */
function spokenIn(headers: IncomingHttpHeaders): Record<string, string> {
  const spoken = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
  return {
    ...Object.fromEntries(spoken.map(([name, value]) => [name, String(value)])),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
}

/** Returns the caller's own credentials, which operations are called with. */
function credentialsIn(headers: IncomingHttpHeaders): Record<string, string> {
  const { authorization = '', 'x-workspace': workspace } = headers
  return { authorization, ...(workspace === undefined ? {} : { 'x-workspace': String(workspace) }) }
}

async function answerOf(response: Response): Promise<Answer> {
  const type = response.headers.get('content-type')
  const body = await response.text()
  return {
    status: response.status,
    headers: { ...(type ? { 'content-type': type } : {}), 'cache-control': 'private, no-store' },
    body: body || null,
  }
}

const CLIENT = 'io.modelcontextprotocol/clientInfo'

const UNNAMED = 'an MCP client'

/** Fills in a missing client name and version: neither has an effect here, and the SDK would reply with an internal error. */
function introduced(message: Message): Message {
  const { method, params = {} } = message
  if (method === 'initialize') return { ...message, params: { ...params, clientInfo: whole(params.clientInfo) } }
  const meta = params._meta as Record<string, unknown> | undefined
  return meta && CLIENT in meta
    ? { ...message, params: { ...params, _meta: { ...meta, [CLIENT]: whole(meta[CLIENT]) } } }
    : message
}

function whole(info: unknown): object {
  const said = info && typeof info === 'object' ? (info as Record<string, unknown>) : {}
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  return { ...said, name: text(said.name, UNNAMED), version: text(said.version, 'unknown') }
}

/**
 * Returns the client's name. The newest revision sends it with each message. Earlier ones send it at initialisation only, so it
 * is stored in the session id, which contains nothing else.
 */
function clientIn({ method, params = {} }: Message, headers: IncomingHttpHeaders): string | undefined {
  const meta = params._meta as Record<string, unknown> | undefined
  const info = (method === 'initialize' ? params.clientInfo : meta?.[CLIENT]) as { title?: unknown; name?: unknown } | undefined
  return sanitised(info?.title) ?? sanitised(info?.name) ?? sanitised(remembered(headers['mcp-session-id']))
}

const remembering = (client: string) => `${randomUUID()}.${Buffer.from(client).toString('base64url')}`
const remembered = (session: string | string[] | undefined) =>
  typeof session === 'string' ? Buffer.from(session.split('.')[1] ?? '', 'base64url').toString('utf8') : undefined

/** Reduces a name to one line of at most 80 visible characters, for timelines. */
function sanitised(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const line = name
    .slice(0, 1000)
    .normalize('NFC')
    .replace(/[\p{C}\ufffd]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim()
  return [...line].slice(0, 80).join('').trim() || undefined
}
