/** Webhook endpoints: addresses that receive events as their creator may see them. */

import { sql } from 'kysely'
import type { z } from 'zod'
import type { Ctx, PlatformCtx } from '../context.ts'
import { forbidden, invalid } from '../errors.ts'
import { knownTypes } from '../http/feed.ts'
import { addressOf, OutboundError } from '../outbound/request.ts'
import { listing } from '../records/listing.ts'
import { lookupTable } from '../records/lookup-table.ts'
import type { Row } from '../records/resource.ts'
import type { SealedColumn } from '../secrets/secrets.ts'
import { audit } from '../tenancy/audit.ts'
import { refuseImpersonator } from '../tenancy/session.ts'
import { plusSeconds } from '../values/time.ts'
import { capital, words } from '../values/words.ts'
import { allowedNetworks } from './networks.ts'
import {
  type CreateEndpoint,
  type EndpointWithSecret,
  type UpdateEndpoint,
  WebhookEndpoint,
  type WebhookEventType,
} from './schema.ts'
import { type Feed, isChief, type SideSteps } from './side.ts'
import { newSecret } from './signing.ts'

export type Endpoint = Row<'webhook_endpoints'>

/** Purpose of the secrets' encryption. */
const PURPOSE = 'webhook secret'
/** Encrypted columns, for key rotation. */
export const sealedColumns: SealedColumn[] = (['secret', 'former_secret', 'older_secret'] as const).map((column) => ({
  table: 'webhook_endpoints',
  column,
  purpose: PURPOSE,
}))
/** Time for which the former secret also signs, in seconds. */
const OVERLAP = 86_400
const MAX_ENDPOINTS = 100

export const endpoints = lookupTable({
  table: 'webhook_endpoints',
  noun: 'webhook endpoint',
  item: WebhookEndpoint,
  title: 'url',
})

export const endpointList = listing(endpoints, { hardDeleted: true })

/**
 * Creates an endpoint, which receives events from now on. The reply contains its secret once. 422 on `url` if the address isn't
 * permitted.
 */
export async function createEndpoint(feed: Feed, steps: SideSteps, body: z.output<typeof CreateEndpoint>) {
  await checkTypes(feed, steps, body.types)
  await checkAddress(steps, body.url)
  return steps.finish(async (ctx) => {
    refuseImpersonator(ctx.actor)
    // Serialises concurrent creations, for the count.
    await sql`select pg_advisory_xact_lock(hashtextextended('webhook endpoints', ${ctx.tenant.id}))`.execute(ctx.tx)
    const { total } = await ctx
      .from('webhook_endpoints')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    if (total >= MAX_ENDPOINTS) throw invalid({ url: `There are ${MAX_ENDPOINTS} endpoints already.` })
    const secret = newSecret()
    const { last } = await feed.place(ctx)
    const endpoint = await endpoints.insert(ctx, {
      ...body,
      secret: sealed(ctx, secret),
      position: last,
      user_id: ctx.actor.id!,
      key_id: ctx.actor.key?.id ?? null,
    })
    await audit(ctx, 'webhook_endpoint.created', { webhook_endpoint_id: endpoint.id, url: endpoint.url })
    return withSecret(ctx, endpoint, secret)
  })
}

/** Changes an endpoint. Once reactivated, it continues at its position, as far as events are still stored. */
export async function updateEndpoint(feed: Feed, steps: SideSteps, id: number, body: z.output<typeof UpdateEndpoint>) {
  if (body.types) await checkTypes(feed, steps, body.types)
  if (body.url !== undefined) await checkAddress(steps, body.url)
  return steps.finish(async (ctx) => {
    const endpoint = await endpoints.lock(ctx, id)
    if (body.url !== undefined || body.types !== undefined || body.is_active) refuseOthers(ctx, endpoint)
    const isRevived = body.is_active && !endpoint.is_active
    const { floor } = isRevived ? await feed.place(ctx) : { floor: 0 }
    await endpoints.save(ctx, endpoint, {
      ...body,
      ...(isRevived ? { disabled_reason: null, failing_since: null, position: Math.max(endpoint.position, floor) } : {}),
    })
    await audit(ctx, 'webhook_endpoint.updated', { webhook_endpoint_id: id, fields: Object.keys(body) })
    return endpoints.show(ctx, id)
  })
}

/**
 * Replaces the secret of an endpoint. Only this reply contains the new one. Messages are also signed with the former secret for a
 * day, and with the one before for the rest of its day.
 */
export async function rotateSecret(ctx: Ctx, endpoint: Endpoint) {
  refuseOthers(ctx, endpoint)
  const secret = newSecret()
  const saved = await endpoints.save(ctx, endpoint, {
    secret: sealed(ctx, secret),
    former_secret: endpoint.secret,
    former_secret_until: plusSeconds(ctx.now, OVERLAP),
    older_secret: endpoint.former_secret,
    older_secret_until: endpoint.former_secret_until,
  })
  await audit(ctx, 'webhook_endpoint.rotated', { webhook_endpoint_id: endpoint.id })
  return withSecret(ctx, saved, secret)
}

/**
 * Throws a 403 unless the actor may change an endpoint's address, types or secret, which give access to what its creator may see.
 * The creator is permitted, with the same key if it was created with one. So are, in person, the owner or on the platform a
 * superadmin, who see everything.
 */
function refuseOthers(ctx: Ctx, { user_id, key_id }: Endpoint) {
  refuseImpersonator(ctx.actor)
  const { actor, role } = ctx
  const isMaker = actor.id === user_id && (!actor.key || actor.key.id === key_id)
  const chief = role === 'app_platform' ? 'a superadmin' : 'the owner'
  if (!isMaker && !isChief(ctx))
    throw forbidden(`Only who made this endpoint, or ${chief}, may change where it leads, what it tells, and its secret.`)
}

/** Deletes an endpoint and its deliveries for good. */
export async function deleteEndpoint(ctx: Ctx, endpoint: Endpoint) {
  await endpoints.remove(ctx, endpoint)
  await audit(ctx, 'webhook_endpoint.deleted', { webhook_endpoint_id: endpoint.id, url: endpoint.url })
}

/** Returns the secrets that sign messages at an instant, newest first. */
export const secretsOf = ({ services }: Pick<Ctx, 'services'>, endpoint: Endpoint, now: string) =>
  [
    { sealed: endpoint.secret, until: null },
    { sealed: endpoint.former_secret, until: endpoint.former_secret_until },
    { sealed: endpoint.older_secret, until: endpoint.older_secret_until },
  ].flatMap(({ sealed, until }) =>
    sealed === null || (until !== null && until <= now) ? [] : [services.secrets.decrypt(PURPOSE, sealed)],
  )

const sealed = ({ services }: Ctx, secret: string) => services.secrets.encrypt(PURPOSE, secret)

async function withSecret(ctx: Ctx, { id }: Endpoint, secret: string): Promise<z.input<typeof EndpointWithSecret>> {
  return { ...JSON.parse((await endpoints.show(ctx, id)).text), secret }
}

/**
 * Returns the types that an endpoint may subscribe to, each kind's wildcard before its types. For a workspace: those of its
 * modules.
 */
export async function typesToAsk(feed: Feed, ctx: Ctx | PlatformCtx): Promise<z.input<typeof WebhookEventType>[]> {
  await ctx.services.modules.routes() // loads all modules that declare events
  const told = feed.types().filter(({ module }) => !('tenant' in ctx) || ctx.entitled(module))
  const kinds = Map.groupBy(told, ({ name }) => name.slice(0, name.indexOf('.')))
  return [...kinds].flatMap(([kind, types]) => [
    { name: `${kind}.*`, description: `${capital(words(kind))}: whatever happens` },
    ...types.map(({ name, says }) => ({ name, description: capital(says) })),
  ])
}

/** Throws a 422 on `types.N` for an unknown type: a misspelt one would never match. */
async function checkTypes(feed: Feed, { services }: SideSteps, types: string[]) {
  await services.modules.routes() // loads all modules that declare events
  const isKnown = knownTypes(feed.types())
  const strange = types.flatMap((type, n) =>
    isKnown(type) ? [] : [[`types.${n}`, 'There is no such event: see webhooks in the API document.']],
  )
  if (strange.length) throw invalid(Object.fromEntries(strange))
}

/** Throws a 422 on `url` if it can't be resolved, is internal, or is a public address in plain text. */
async function checkAddress({ services }: SideSteps, text: string) {
  const url = new URL(text)
  const allowed = allowedNetworks(services)
  try {
    await addressOf(url.hostname, allowed, url.protocol === 'https:')
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw invalid({ url: error.message })
  }
}
