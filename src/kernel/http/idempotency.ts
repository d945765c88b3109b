/**
 * `Idempotency-Key` on every POST: the reply is stored in the transaction of the effect, so there is never one without the other.
 * A second request under the same key gets the stored reply for 24 hours, or as long as the operator says; while the first still runs, a 409.
 */
import { sql } from 'kysely'
import type { BaseCtx, Services } from '../context.ts'
import { conflict, HttpError, invalid } from '../errors.ts'
import { type SealedColumn, type Secrets, sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'

export interface IdempotentRequest {
  tenantId: number
  keyHash: Buffer
  /** By each key (APP_KEY), the present one first; then those of the body as it came, which versions before stored. */
  bodyHashes: Buffer[]
}

/** What is answered, and what is kept of it for a replay. */
export interface Reply {
  status: number
  payload: string
  /** The payload without secrets that are told once; the same where not given. */
  kept?: string
  /** The state of the record that it shows; a replay has none, for the record may have gone on since. */
  etag?: string
}
type Answered = Reply & { replayed: boolean }

/** The request's key, scoped to actor, method and path. Undefined when none was sent. The body is kept as a keyed digest: it may hold a password. */
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

/** How deep fields are put in order: no route takes a body that is nested deeper. */
const ORDERED_DEPTH = 32

/** With the fields of objects in the order of their names: a body is the same in whichever order they are written. */
function inOrder(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > ORDERED_DEPTH) return value
  if (Array.isArray(value)) return value.map((entry) => inOrder(entry, depth + 1))
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, field]) => [name, inOrder(field, depth + 1)]))
}

const PURPOSE = 'idempotency'
export const sealedColumns: SealedColumn[] = [{ table: 'idempotency_keys', column: 'reply', purpose: PURPOSE }]

/** How long a reply is given again, in seconds. */
export const repliesKept = ({ config }: Pick<Services, 'config'>) => config.KEEP_IDEMPOTENT_REPLIES_HOURS * 3600

/** Longer than any request takes: a claim that is older belonged to a process that died. */
const CLAIM_SECONDS = 300

const stillRunning = () => conflict('A request with this Idempotency-Key is still running.')

/** Runs the work once: replays what is stored, or stores what it answers. Must be called inside the effect's transaction. */
export async function once(ctx: BaseCtx, request: IdempotentRequest, work: () => Promise<Reply>): Promise<Answered> {
  const before = await stored(ctx, request)
  if (before) return before
  const reply = await work()
  await keep(ctx, request, reply)
  return { ...reply, replayed: false }
}

/** The reply that is stored for the key, which from now on is locked. 409 while another request works on it, 422 for another body. */
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

/** What is known under the key from now on, in place of a claim or an expired reply. */
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
 * Idempotency of a route of several transactions: it claims the key in a transaction of its own, before anything is done. The reply is kept in the
 * transaction of the last step; a claim whose process died expires after five minutes, one whose request failed is given back.
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
    if ((await mine(ctx).executeTakeFirst())?.claim !== claim) throw stillRunning() // it took so long that somebody else began
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
    if (!finished) await run(own).catch(() => {}) // the claim expires by itself
    throw error
  }
}
