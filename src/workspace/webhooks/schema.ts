import { sql } from 'kysely'
import { z } from 'zod'
import { computed, view } from '#kernel/records/view.ts'
import { changesOf, formatted, hardStamps, instant, optionalText, shownOnce } from '#kernel/values/fields.ts'

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
  .transform((names) => [...new Set(names)])

export const CreateEndpoint = z.object({ url, types: types.default([]), description: optionalText(500) })
export const UpdateEndpoint = changesOf(z.object({ url, types, description: optionalText(500), is_active: z.boolean() }))

export const WebhookEndpoint = view('webhook_endpoints', 'WebhookEndpoint', {
  id: z.int(),
  url: formatted('uri'),
  types: computed(z.array(z.string()), ({ table }) => sql`to_json(${sql.ref(`${table}.types`)})`),
  description: z.string().nullable(),
  is_active: z.boolean(),
  disabled_reason: z.string().nullable(),
  failing_since: instant().nullable(),
  ...hardStamps,
})

/** The secret is told once. */
export const EndpointWithSecret = z
  .object({ ...WebhookEndpoint.shape, secret: shownOnce() })
  .meta({ id: 'WebhookEndpointWithSecret' })

export const statuses = ['waiting', 'delivered', 'failed'] as const

export const WebhookDelivery = view('webhook_deliveries', 'WebhookDelivery', {
  id: z.int(),
  event_id: z.int().nullable(),
  type: z.string(),
  status: z.enum(statuses),
  attempts: z.int(),
  next_attempt_at: instant().nullable(),
  response_status: z.int().nullable(),
  response_excerpt: z.string().nullable(),
  error: z.string().nullable(),
  duration_ms: z.int().nullable(),
  delivered_at: instant().nullable(),
  ...hardStamps,
})

const moment = z.iso
  .datetime({ offset: true, error: 'Must be an instant such as 2027-01-31T12:00:00Z.' })
  .transform((text) => new Date(text).toISOString())

export const Replay = z
  .object({ from: moment, to: moment, types: types.optional() })
  .refine(({ from, to }) => Number.isNaN(Date.parse(from)) || from <= to, { path: ['to'], message: 'Must not be before from.' })
export const Replayed = z.object({ queued: z.int() })
