/** Outgoing webhooks as the `webhooks` of an API document: one operation per event type. */
import type { z } from 'zod'
import type { ZodOpenApiObject } from 'zod-openapi'
import type { Modules } from '../modules/module.ts'
import type { EventType } from '../records/event-types.ts'
import { capital } from '../values/words.ts'

declare module '../modules/module.ts' {
  interface Manifest {
    /** Messages that the module sends to webhook endpoints. */
    webhooks?: () => Promise<{ default: WebhookMessages }>
  }
}

/** Bodies, headers and event types of the messages. */
export interface WebhookMessages {
  body: z.ZodObject
  /** Headers with their descriptions, by name. */
  headers: Record<string, string>
  /** Body of the test message, which isn't an event. */
  test: z.ZodObject
  /** Event types; called after all routes are loaded. */
  types(): EventType[]
}

type Part = Required<Pick<ZodOpenApiObject, 'webhooks' | 'components'>>

const PARAMETERS = '#/components/parameters'

/** Returns the webhooks of one API's modules, and their shared components. */
export async function webhooksOf(modules: Modules, surface: 'workspace' | 'platform'): Promise<Part> {
  const found = modules.all.filter((module) => module.surface === surface && module.webhooks)
  const [messages] = await Promise.all(found.map(async ({ webhooks }) => (await webhooks!()).default))
  if (!messages) return { webhooks: {}, components: {} }
  const titles = new Map(modules.all.filter((module) => module.surface === surface).map(({ key, title }) => [key, title]))
  const parameters = Object.entries(messages.headers).map(
    ([name, description]) => [name, { name, in: 'header', required: true, description, schema: { type: 'string' } }] as const,
  )
  const shared = {
    parameters: parameters.map(([name]) => ({ $ref: `${PARAMETERS}/${name}` })),
    requestBody: { id: 'WebhookMessage', required: true, content: { 'application/json': { schema: messages.body } } },
    responses: {
      '2XX': { $ref: '#/components/responses/WebhookTaken' },
      410: { $ref: '#/components/responses/WebhookUnwanted' },
    },
  }
  const known = messages.types().filter(({ module }) => titles.has(module))
  const types = known.map(({ name, module, says }) => {
    const operationId = `on${name.split(/[._]/).map(capital).join('')}`
    const operation = { tags: [titles.get(module)!], operationId, summary: capital(says), security: [], ...shared }
    return [name, { post: operation }]
  })
  const tried = {
    tags: [found[0]!.title],
    operationId: 'onWebhookTest',
    summary: 'Webhook: sent to try the endpoint',
    security: [],
    ...shared,
    requestBody: { id: 'WebhookTest', required: true, content: { 'application/json': { schema: messages.test } } },
  }
  return {
    webhooks: { ...Object.fromEntries(types), 'webhook.test': { post: tried } },
    components: {
      parameters: Object.fromEntries(parameters),
      responses: {
        WebhookTaken: { description: 'Taken. Anything else is tried again, but for 410.' },
        WebhookUnwanted: { description: 'Nothing more is wanted: the endpoint is switched off.' },
      },
    },
  }
}
