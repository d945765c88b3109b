import { sql } from 'kysely'
import { z } from 'zod'
import { computed, view } from '../records/view.ts'
import { changesOf, formatted, hardStamps, instant, moment, optionalText, shownOnce } from '../values/fields.ts'

const url = z
  .url({ protocol: /^https?$/, error: 'Must be an address such as https://example.com/webhooks.' })
  .max(2000)
  .refine((text) => !URL.parse(text)?.username && !URL.parse(text)?.password, 'Must not hold a user name or a password.')

const types = z
  .array(
    z
      .string()
      .max(100)
      .regex(/^[a-z_]+\.([a-z_]+|\*)$/, 'Must be a type such as invoice.paid or vendor.*.'),
  )
  .max(100)
  .meta({
    description: 'Types of event; none means all. `invoice.*` names all of a kind; `GET /webhook-endpoints/types` lists them.',
    examples: [['invoice.paid', 'vendor.*']],
    'x-choices': { path: '/webhook-endpoints/types', field: 'name', about: 'description' },
  })
  .transform((names) => [...new Set(names)])

/** Type of event that an endpoint may subscribe to. */
export const WebhookEventType = z
  .object({
    name: z.string().meta({ description: 'As `types` takes it: one type, or all of a kind.', examples: ['invoice.*'] }),
    description: z.string().meta({ description: 'What happened then.', examples: ['Invoice: paid'] }),
  })
  .meta({ id: 'WebhookEventType' })

export const CreateEndpoint = z.object({ url, types: types.default([]), description: optionalText(500) })
export const UpdateEndpoint = changesOf(z.object({ url, types, description: optionalText(500), is_active: z.boolean() }))

export const WebhookEndpoint = view('webhook_endpoints', 'WebhookEndpoint', {
  id: z.int(),
  url: formatted('uri'),
  types: computed(z.array(z.string()), ({ table }) => sql`to_json(${sql.ref(`${table}.types`)})`).meta({
    description: 'The types of event that it is told of; `invoice.*` names all of a kind, none means all.',
    examples: [['invoice.paid', 'vendor.*']],
  }),
  description: z.string().nullable(),
  is_active: z.boolean(),
  disabled_reason: z
    .string()
    .nullable()
    .meta({ description: 'Why the service turned it off; null: it did not.', examples: ['It has not answered for five days.'] }),
  failing_since: instant().nullable().describe('Since when every delivery has failed; null: the last one went well.'),
  ...hardStamps,
})

/** Endpoint with its secret, which is returned once. */
export const EndpointWithSecret = z
  .object({
    ...WebhookEndpoint.shape,
    secret: shownOnce().meta({
      description: 'Secret by which messages are signed (Standard Webhooks). Told this once.',
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
    }),
  })
  .meta({ id: 'WebhookEndpointWithSecret' })

export const statuses = ['waiting', 'delivered', 'failed'] as const

export const WebhookDelivery = view('webhook_deliveries', 'WebhookDelivery', {
  id: z.int(),
  event_id: z
    .int()
    .nullable()
    .meta({ description: 'Id of the event that it tells; null: a test.', examples: [4711] }),
  type: z.string().meta({ description: 'The type of the event.', examples: ['invoice.paid'] }),
  status: z.enum(statuses),
  attempts: z.int().meta({ description: 'How often it was tried.', examples: [1] }),
  next_attempt_at: instant().nullable(),
  response_status: z
    .int()
    .nullable()
    .meta({ description: 'HTTP status of the last answer; null: there was none.', examples: [200] }),
  response_excerpt: z
    .string()
    .nullable()
    .meta({ description: 'How the last answer began; null: there was none.', examples: ['ok'] }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'Why there was no answer; null: there was one.', examples: ['The connection was refused.'] }),
  duration_ms: z
    .int()
    .nullable()
    .meta({ description: 'How long the last answer took, in milliseconds.', examples: [42] }),
  delivered_at: instant().nullable(),
  ...hardStamps,
})

const at = moment('2027-01-31T12:00:00Z')

export const Replay = z
  .object({ from: at.describe('From when on, inclusive.'), to: at.describe('Until when.'), types: types.optional() })
  .refine(({ from, to }) => Number.isNaN(Date.parse(from)) || from <= to, { path: ['to'], message: 'Must not be before from.' })
export const Replayed = z.object({ queued: z.int().meta({ description: 'How many events are told again.', examples: [12] }) })
