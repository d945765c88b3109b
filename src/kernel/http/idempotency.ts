/**
 * `Idempotency-Key` on every POST: the reply is stored in the transaction of the effect, so neither exists without the other. A
 * second request with the same key gets the stored reply for 24 hours, or as configured by the operator; a 409 while the first
 * one is still running.
 */
import { sql } from 'kysely'
import type { BaseCtx, Services } from '../context.ts'
import { conflict, HttpError, invalid } from '../errors.ts'
import { type SealedColumn, type Secrets, sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'

/** Identity of a request with an Idempotency-Key; only hashes are stored. */
export interface IdempotentRequest {
  tenantId: number
  keyHash: Buffer
  /** Hashes by each APP_KEY, the current one first; then those of the body as it was sent, which earlier versions stored. */
  bodyHashes: Buffer[]
}

/** Reply, and the part of it that is stored for a replay. */
export interface Reply {
  status: number
  payload: string
  /** Payload without secrets that are shown only once. Default: `payload`. */
  kept?: string
  /** ETag of the record shown. A replay has none, because the record may have changed since. */
  etag?: string
}
type Answered = Reply & { replayed: boolean }

/**
 * Returns the request's key, scoped to actor, method and path; undefined if none was sent. The body is stored as a keyed hash,
 * because it may contain a password.
 */
export function idempotencyOf(
  secrets: Secrets,
  key: unknown,
  scope: { tenantId?: number; actor: string; method: string; path: string; body: unknown },
): IdempotentRequest | undefined {
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key.length === 0 || key.length > 255)
    throw new HttpError(400, 'BAD_REQUEST', 'Idempotency-Key must have 1 to 255 characters.')
  return {
    tenantId: scope.tenantId ?? 0,
    keyHash: sha256(JSON.stringify([scope.actor, scope.method, scope.path, key])),
    bodyHashes: [inOrder(scope.body ?? null), scope.body ?? null]
      .flatMap((body) => secrets.signatures(PURPOSE, JSON.stringify(body)))
      .map((one) => Buffer.from(one, 'base64url')),
  }
}

/** Maximum depth to which fields are sorted: no route accepts a deeper body. */
const ORDERED_DEPTH = 32

/** Sorts the fields of objects by name: the same body has the same hash whatever the order of its fields. */
function inOrder(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > ORDERED_DEPTH) return value
  if (Array.isArray(value)) return value.map((entry) => inOrder(entry, depth + 1))
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, field]) => [name, inOrder(field, depth + 1)]))
}

const PURPOSE = 'idempotency'
export const sealedColumns: SealedColumn[] = [{ table: 'idempotency_keys', column: 'reply', purpose: PURPOSE }]

/** Retention of stored replies, in seconds. */
export const repliesKept = ({ config }: Pick<Services, 'config'>) => config.KEEP_IDEMPOTENT_REPLIES_HOURS * 3600

/** Longer than any request runs: an older claim belongs to a process that died. */
const CLAIM_SECONDS = 300

const stillRunning = () => conflict('A request with this Idempotency-Key is still running.')

/** Runs the work once: replays the stored reply, or stores the new one. Must be called inside the effect's transaction. */
export async function once(ctx: BaseCtx, request: IdempotentRequest, work: () => Promise<Reply>): Promise<Answered> {
  const before = await stored(ctx, request)
  if (before) return before
  const reply = await work()
  await keep(ctx, request, reply)
  return { ...reply, replayed: false }
}

/**
 * Returns the reply stored for the key, and locks the key. Throws 409 while another request holds it, and 422 for another body.
 */
async function stored(ctx: BaseCtx, { tenantId, keyHash, bodyHashes }: IdempotentRequest): Promise<Answered | undefined> {
  const lock = keyHash.readBigInt64BE(0).toString()
  const { rows } = await sql<{ free: boolean }>`SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS free`.execute(ctx.tx)
  if (!rows[0]?.free) throw stillRunning()
  const before = await ctx.tx
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status', 'reply', 'claimed_until'])
    .where('tenant_id', '=', tenantId)
    .where('key_hash', '=', keyHash)
    .where('created_at', '>', plusSeconds(ctx.now, -repliesKept(ctx.services)))
    .executeTakeFirst()
  if (!before) return undefined
  if (before.reply === null && before.claimed_until! <= ctx.now) return undefined
  if (!bodyHashes.some((one) => before.body_hash.equals(one)))
    throw invalid({ 'Idempotency-Key': 'This key was already used with another body.' })
  if (before.reply === null) throw stillRunning()
  return { status: before.status!, payload: ctx.services.secrets.decrypt(PURPOSE, before.reply), replayed: true }
}

const keep = (ctx: BaseCtx, request: IdempotentRequest, { status, payload, kept = payload }: Reply) =>
  put(ctx, request, {
    status,
    reply: ctx.services.secrets.encrypt(PURPOSE, kept),
    claim: null,
    claimed_until: null,
  })

/** Stores the key's state, replacing a claim or an expired reply. */
async function put(
  ctx: BaseCtx,
  { tenantId, keyHash, bodyHashes }: IdempotentRequest,
  state: { status: number | null; reply: Buffer | null; claim: string | null; claimed_until: string | null },
) {
  const row = { ...state, body_hash: bodyHashes[0]!, created_at: ctx.now }
  await ctx.tx
    .insertInto('idempotency_keys')
    .values({ tenant_id: tenantId, key_hash: keyHash, ...row })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'key_hash']).doUpdateSet(row))
    .execute()
}

/**
 * Idempotency of a multi-transaction route. It claims the key in a separate transaction before any work. The reply is stored in
 * the transaction of the last step. A claim of a dead process expires after five minutes; the claim of a failed request is
 * released.
 */
export async function onceInSteps(
  run: <T>(work: (ctx: BaseCtx) => Promise<T>) => Promise<T>,
  request: IdempotentRequest,
  work: (finish: (ctx: BaseCtx, reply: Reply) => Promise<void>) => Promise<Reply>,
): Promise<Answered> {
  const { tenantId, keyHash } = request
  const claim = crypto.randomUUID()
  const mine = (ctx: BaseCtx) =>
    ctx.tx
      .selectFrom('idempotency_keys')
      .select('claim')
      .where('tenant_id', '=', tenantId)
      .where('key_hash', '=', keyHash)
      .forUpdate()
  const before = await run(async (ctx) => {
    const reply = await stored(ctx, request)
    if (reply) return reply
    await put(ctx, request, { status: null, reply: null, claim, claimed_until: plusSeconds(ctx.now, CLAIM_SECONDS) })
  })
  if (before) return before
  let finished = false
  const finish = async (ctx: BaseCtx, reply: Reply) => {
    // The claim expired, and another request has taken it.
    if ((await mine(ctx).executeTakeFirst())?.claim !== claim) throw stillRunning()
    await keep(ctx, request, reply)
    ctx.afterCommit(() => void (finished = true))
  }
  try {
    const reply = await work(finish)
    if (!finished) await run((ctx) => finish(ctx, reply))
    return { ...reply, replayed: false }
  } catch (error) {
    const own = (ctx: BaseCtx) =>
      ctx.tx
        .deleteFrom('idempotency_keys')
        .where('tenant_id', '=', tenantId)
        .where('key_hash', '=', keyHash)
        .where('claim', '=', claim)
        .execute()
    if (!finished) await run(own).catch(() => {}) // the claim expires anyway
    throw error
  }
}
