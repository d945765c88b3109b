/** Sends requests as an agent does: by the tools at /mcp, with the same credentials. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reply } from '../harness.ts'
import type { Operation } from './operations.ts'
import type { Request } from './requests.ts'
import type { ContractWorld } from './world.ts'

/** Returns a tool's result for a request; undefined where its operation is not offered to agents. */
export async function sendAsAgent(
  world: ContractWorld,
  { operation, params, query, body, token }: Request,
): Promise<Reply | undefined> {
  const asked = { operation: operation.id, path: params, query, ...(body && operation.method !== 'GET' ? { body } : {}) }
  const first = await call(world, token!, 'read', asked)
  let told = first.answer.tool ? await call(world, token!, first.answer.tool, asked) : first
  if (told.answer.tool === 'destroy' && told.isError) told = await call(world, token!, 'destroy', asked) // its body cancels the record
  if (told.answer.nearest) return undefined
  const { http_status: status = told.isError ? 422 : 200, ...answer } = told.answer
  return { ...told.reply, status, body: answer }
}

async function call(world: ContractWorld, token: string, name: string, given: object) {
  const { body: _, ...read } = given as { body?: unknown }
  const params = { name, arguments: ['read', 'get_document'].includes(name) ? read : given }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  let reply = await world.tenant(token).post('/mcp', message)
  for (; reply.status === 429; reply = await world.tenant(token).post('/mcp', message))
    await sleep(Number(reply.headers['retry-after']) * 1000)
  const { content, isError } = (reply.body as any).result
  return { reply, isError, answer: JSON.parse(content[0].text) }
}

/** Returns whether agents can call it: they can't send files. */
export const isForAgents = ({ bodies }: Operation) => !bodies['multipart/form-data']
