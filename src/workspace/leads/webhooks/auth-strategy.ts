/**
 * Authenticates deliveries by the endpoint's API key or by a signature of the raw body (LEAD-75). Each signature is accepted
 * once, against replays.
 */
import { type BaseCtx, type Ctx, inPublic, systemActor } from '#kernel/context.ts'
import { conflict, HttpError, notFound, unauthenticated } from '#kernel/errors.ts'
import { type AuthRequest, type AuthStrategy, externalAuth } from '#kernel/http/auth-strategies.ts'
import { isSigned } from '#kernel/http/signature.ts'
import { sameBytes, sha256 } from '#kernel/secrets/secrets.ts'
import { findByUuid } from '#kernel/tenancy/placed-uuids.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { logStranger } from './deliveries.ts'
import { type Endpoint, signingSecretOf } from './endpoints.ts'

/** Covers five minutes before and after the signed time, and clock skew. */
const REMEMBERED_SECONDS = 3600

/** 409 for a used signature. A concurrent call with the same one waits until the first has ended. */
export async function useUp(ctx: Ctx, endpoint_id: number, signature: string) {
  const { numInsertedOrUpdatedRows } = await ctx.tx
    .insertInto('lead_webhook_signatures')
    .values({ tenant_id: ctx.tenant.id, endpoint_id, signature, created_at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (!numInsertedOrUpdatedRows) throw conflict('This signature was used already: sign each call with the time of its own.')
}

export const sweepSignatures = (ctx: Ctx) =>
  ctx.deleteFrom('lead_webhook_signatures').where('created_at', '<', plusSeconds(ctx.now, -REMEMBERED_SECONDS)).execute()

/** An authenticated call. */
export interface Call {
  endpoint: Endpoint
  /** The verified signature; undefined when the key was used. */
  signature?: string
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const admission = externalAuth<Call>({
  scheme: {
    header: 'X-Service-Signature',
    description:
      '`t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, made with the signing secret and good once, for five minutes; or `Authorization: Bearer <api key>` instead.',
  },
  async admit(knock) {
    const endpoint = await knock.read((ctx) => endpointOf(ctx, knock))
    if (!endpoint?.is_active) throw notFound('There is no such endpoint.')
    const { tenant_id, id } = endpoint
    return { tenantId: tenant_id, actor: systemActor, key: `lead-endpoint:${id}`, guest: credentialsOf(knock, endpoint) }
  },
})

/**
 * 401 without the endpoint's key or signature, 404 where the endpoint is missing or inactive, 403 where its workspace is closed.
 */
export const byEndpoint: AuthStrategy<Call> = {
  ...admission,
  async authenticate(knock) {
    try {
      return await admission.authenticate(knock)
    } catch (error) {
      if (error instanceof HttpError) await tell(knock, error)
      throw error
    }
  },
}

function credentialsOf({ headers, raw, origin }: AuthRequest, endpoint: Endpoint): Call {
  const [, key] = /^Bearer (\S{1,200})$/i.exec(headers.authorization ?? '') ?? []
  if (key && sameBytes(sha256(key), endpoint.api_key_hash)) return { endpoint }
  const signature = headers['x-service-signature']
  if (isSigned(signature, signingSecretOf(origin, endpoint), raw, origin.now)) return { endpoint, signature: String(signature) }
  throw unauthenticated('Send the API key of this endpoint as a bearer token, or a signature of the body.')
}

async function endpointOf(ctx: BaseCtx, { params }: AuthRequest): Promise<Endpoint | undefined> {
  const uuid = String(params.uuid)
  if (!UUID.test(uuid)) return undefined
  return findByUuid(ctx, uuid, (within) =>
    ctx.tx
      .selectFrom('lead_webhook_endpoints')
      .selectAll()
      .where('uuid', '=', uuid)
      .where(within('lead_webhook_endpoints'))
      .executeTakeFirst(),
  )
}

const tell = (knock: AuthRequest, error: HttpError) =>
  inPublic(knock.origin, 'write', async (ctx) => {
    const endpoint = await endpointOf(ctx, knock)
    if (endpoint) await logStranger(ctx, { tenant_id: endpoint.tenant_id, endpoint_id: endpoint.id }, error)
  })
