import { z } from 'zod'
import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { serveMessage } from './serving.ts'

const isId = (id: unknown) => id === undefined || Number.isInteger(id) || (typeof id === 'string' && id.length <= 200)

/** The protocol's metadata next to the parameters, if present. */
const isObject = (meta: unknown) => meta === undefined || (typeof meta === 'object' && meta !== null && !Array.isArray(meta))

const Message = z
  .looseObject({
    jsonrpc: z.literal('2.0').describe('The version of JSON-RPC.'),
    id: z
      .unknown()
      .refine(isId, 'Must be text of at most 200 characters, or a whole number.')
      .optional()
      .meta({
        override: { type: ['string', 'integer'] },
        description: 'Of a request, which is answered under it; a notification has none.',
        examples: [1],
      }),
    method: z
      .string()
      .max(200)
      .meta({ description: 'What is asked.', examples: ['tools/list'] }),
    params: z
      .record(z.string().max(200), z.unknown())
      .refine(({ _meta }) => isObject(_meta), { path: ['_meta'], message: 'Must be an object.' })
      .optional()
      .meta({ description: 'More about it, which depends on `method`.', examples: [{}] }),
  })
  .meta({ id: 'McpMessage' })

const messages = limiter({ name: 'mcp', points: 600, seconds: 60, by: 'user', inMemory: true })

export default [
  workspace.multiTransaction.post(
    '/',
    {
      allow: 'signed-in',
      grants: false,
      anyKey: true,
      limit: messages,
      notIdempotent: true,
      body: Message,
      answer: 'application/json',
      accepts: true,
      operation: 'callMcp',
      summary: 'Send a message of the Model Context Protocol',
      description:
        'The address for agents: a message of the Model Context Protocol (Streamable HTTP, without sessions; revisions 2026-07-28 and those of 2025), answered with JSON. Its tools find, describe and call the operations of this document, with the caller’s rights. A notification is answered with 202.',
    },
    (steps, { headers, body }) => serveMessage(steps, headers, body),
  ),
]
