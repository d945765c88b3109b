/** Webhook endpoints: addresses that are told of events as their creator may see them. */

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

/** What the secrets are encrypted for. */
const PURPOSE = 'webhook secret'
export const sealedColumns: SealedColumn[] = (['secret', 'former_secret', 'older_secret'] as const).map((column) => ({
  table: 'webhook_endpoints',
  column,
  purpose: PURPOSE,
}))
/** How long the former secret signs too, in seconds. */
const OVERLAP = 86_400
const MAX_ENDPOINTS = 100

export const endpoints = lookupTable({
  table: 'webhook_endpoints',
  noun: 'webhook endpoint',
  item: WebhookEndpoint,
  title: 'url',
})

export const endpointList = listing(endpoints, { hardDeleted: true })

/** A new endpoint, which is told of events from now on. Its secret is told once. 422 on `url` for one that can't be told. */
export async function createEndpoint(feed: Feed, steps: SideSteps, body: z.output<typeof CreateEndpoint>) {
  await checkTypes(feed, steps, body.types)
  await checkAddress(steps, body.url)
  return steps.finish(async (ctx) => {
    refuseImpersonator(ctx.actor)
    // Many at once count one after the other.
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

/** Changes an endpoint. Switched on again, it goes on where it stopped, as far as events are kept. */
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

/** Gives an endpoint another secret, told once. For a day messages are signed with the former one as well, and with one before it for the rest of its day. */
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
 * 403: whoever would lead an endpoint elsewhere, or sign as it, would be told what its maker may see. So does its maker, by the same key if it was
 * made by one, or the owner (of the platform: a superadmin) in person, who sees all.
 */
function refuseOthers(ctx: Ctx, { user_id, key_id }: Endpoint) {
  refuseImpersonator(ctx.actor)
  const { actor, role } = ctx
  const isMaker = actor.id === user_id && (!actor.key || actor.key.id === key_id)
  const chief = role === 'app_platform' ? 'a superadmin' : 'the owner'
  if (!isMaker && !isChief(ctx))
    throw forbidden(`Only who made this endpoint, or ${chief}, may change where it leads, what it tells, and its secret.`)
}

/** Deletes an endpoint for good, with its deliveries: nothing is sent to it any more. */
export async function deleteEndpoint(ctx: Ctx, endpoint: Endpoint) {
  await endpoints.remove(ctx, endpoint)
  await audit(ctx, 'webhook_endpoint.deleted', { webhook_endpoint_id: endpoint.id, url: endpoint.url })
}

/** The secrets with which messages are signed at an instant, the newest first. */
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

/** The types that an endpoint may ask for, all of a kind before each of it: of a workspace those of its modules. */
export async function typesToAsk(feed: Feed, ctx: Ctx | PlatformCtx): Promise<z.input<typeof WebhookEventType>[]> {
  await ctx.services.modules.routes() // all that tell are loaded with them
  const told = feed.types().filter(({ module }) => !('tenant' in ctx) || ctx.entitled(module))
  const kinds = Map.groupBy(told, ({ name }) => name.slice(0, name.indexOf('.')))
  return [...kinds].flatMap(([kind, types]) => [
    { name: `${kind}.*`, description: `${capital(words(kind))}: whatever happens` },
    ...types.map(({ name, says }) => ({ name, description: capital(says) })),
  ])
}

/** 422 on `types.N` for what no module tells of: a misspelt type would wait for ever. */
async function checkTypes(feed: Feed, { services }: SideSteps, types: string[]) {
  await services.modules.routes() // all that tell are loaded with them
  const isKnown = knownTypes(feed.types())
  const strange = types.flatMap((type, n) =>
    isKnown(type) ? [] : [[`types.${n}`, 'There is no such event: see webhooks in the API document.']],
  )
  if (strange.length) throw invalid(Object.fromEntries(strange))
}

/** 422 on `url` for an address that leads nowhere or inwards, and for one in plain text to the world. */
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
