/** Webhook endpoints: addresses where other systems deliver leads, each with an API key and a signing secret. */

import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { computed, view } from '#kernel/records/view.ts'
import type { SealedColumn } from '#kernel/secrets/secrets.ts'
import { randomSecret, sha256 } from '#kernel/secrets/secrets.ts'
import { ownUuid } from '#kernel/tenancy/placed-uuids.ts'
import { formatted, hardStamps, id, optionalText, shownOnce, text } from '#kernel/values/fields.ts'
import { refuseUnknownDefault } from '../stages.ts'
import { FieldMap } from './field-map.ts'

export type Endpoint = Row<'lead_webhook_endpoints'>

/** Encryption purpose of the signing secrets. */
const PURPOSE = 'lead webhook signing secret'
export const sealedColumns: SealedColumn[] = [{ table: 'lead_webhook_endpoints', column: 'signing_secret', purpose: PURPOSE }]

/** LEAD-74. */
export const CreateEndpoint = z.object({
  name: text(255),
  assign_to_website_recipients: z
    .boolean()
    .describe('true shares its leads out to the users who receive website leads.')
    .default(false),
  default_stage_id: id()
    .nullish()
    .meta({
      'x-refers-to': 'lead_stage',
      description: 'Where leads stand that name no stage. The first stage where it is null.',
    })
    .describe('Id of the stage that its leads begin in; null: the first one.'),
  default_source: optionalText(255).meta({
    description: 'What their `source` says where the caller sends none.',
    examples: ['Web site'],
  }),
  field_map: FieldMap.default({}).meta({
    description: 'Which field of a lead a key of the caller’s JSON is: `{"e-mail": "email"}`. Others keep their own names.',
    examples: [{ fullname: 'name' }],
  }),
  is_active: z.boolean().default(true),
})

const LeadWebhookEndpoint = view('lead_webhook_endpoints', 'LeadWebhookEndpoint', {
  id: z.int(),
  uuid: z.string(),
  url: computed(formatted('uri'), ({ ctx, table }) => {
    const base = `${ctx.services.config.BASE_URL}/webhooks/leads/custom/`
    return sql`${base}::text || ${sql.ref(`${table}.uuid`)}::text`
  }).meta({
    description: 'Address to which leads are sent.',
    examples: ['https://atrium.example/webhooks/leads/custom/0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f'],
  }),
  name: z.string(),
  is_active: z.boolean(),
  assign_to_website_recipients: z.boolean(),
  default_stage_id: z.int().nullable().describe('Id of the stage that its leads begin in; null: the first one.'),
  default_source: z
    .string()
    .nullable()
    .meta({ description: 'What their `source` says where the caller sends none.', examples: ['Web site'] }),
  field_map: FieldMap,
  ...hardStamps,
})

/** LEAD-73: both are shown only in this reply. */
export const EndpointWithSecrets = z
  .object({
    ...LeadWebhookEndpoint.shape,
    api_key: shownOnce().meta({ description: 'Bearer token for callers. Told this once.', examples: ['Jm3rVtq0o8nWc5xYb1dKfA'] }),
    signing_secret: shownOnce().meta({
      description: 'Secret by which callers sign instead. Told this once.',
      examples: ['Jm3rVtq0o8nWc5xYb1dKfA'],
    }),
  })
  .meta({ id: 'LeadWebhookEndpointWithSecrets' })
type EndpointWithSecrets = z.input<typeof EndpointWithSecrets>

export const endpoints = lookupTable({ table: 'lead_webhook_endpoints', noun: 'webhook endpoint', item: LeadWebhookEndpoint })

export const endpointList = listing(endpoints, { hardDeleted: true })

export async function createEndpoint(ctx: Ctx, sent: z.output<typeof CreateEndpoint>): Promise<EndpointWithSecrets> {
  await refuseUnknownDefault(ctx, sent.default_stage_id)
  const { columns, shown } = newSecrets(ctx)
  return withSecrets(ctx, await endpoints.insert(ctx, { ...sent, ...columns, ...ownUuid(ctx, ctx.tenant.id) }), shown)
}

export async function changeEndpoint(ctx: Ctx, endpoint: Endpoint, sent: Partial<z.output<typeof CreateEndpoint>>) {
  if (sent.default_stage_id !== endpoint.default_stage_id) await refuseUnknownDefault(ctx, sent.default_stage_id)
  await endpoints.save(ctx, endpoint, sent as Partial<Endpoint>)
}

/** Replaces the key and the secret; the former ones stop working at once. */
export async function rotate(ctx: Ctx, endpoint: Endpoint): Promise<EndpointWithSecrets> {
  const { columns, shown } = newSecrets(ctx)
  return withSecrets(ctx, await endpoints.save(ctx, endpoint, columns), shown)
}

export const signingSecretOf = ({ services }: Pick<Ctx, 'services'>, { signing_secret }: Pick<Endpoint, 'signing_secret'>) =>
  services.secrets.decrypt(PURPOSE, signing_secret)

function newSecrets({ services }: Ctx) {
  const shown = { api_key: randomSecret(), signing_secret: randomSecret() }
  const columns = {
    api_key_hash: sha256(shown.api_key),
    signing_secret: services.secrets.encrypt(PURPOSE, shown.signing_secret),
  }
  return { columns, shown }
}

async function withSecrets(ctx: Ctx, { id }: Endpoint, shown: { api_key: string; signing_secret: string }) {
  return { ...JSON.parse((await endpoints.show(ctx, id)).text), ...shown }
}
