/**
 * `Idempotency-Key` on every POST: the reply is stored in the transaction of the effect, so there is never one without the other.
 * A second request under the same key gets the stored reply for 24 hours; while the first still runs, a 409.
 */
import { sql } from 'kysely'
import type { BaseCtx } from '../context.ts'
import { conflict, HttpError, invalid } from '../errors.ts'
import { sha256 } from '../secrets/secrets.ts'
import { plusSeconds } from '../values/time.ts'

export interface IdempotentRequest {
  tenantId: number
  keyHash: Buffer
  bodyHash: Buffer
}

interface StoredReply {
  status: number
  payload: string
}

/** The request's key, scoped to actor, method and path. Undefined when none was sent. */
export function idempotencyOf(
  key: unknown,
  scope: { tenantId?: number; actor: string; method: string; path: string; body: unknown },
): IdempotentRequest | undefined {
  if (key === undefined) return undefined
  if (typeof key !== 'string' || key.length === 0 || key.length > 255)
    throw new HttpError(400, 'BAD_REQUEST', 'Idempotency-Key must have 1 to 255 characters.')
  return {
    tenantId: scope.tenantId ?? 0,
    keyHash: sha256(JSON.stringify([scope.actor, scope.method, scope.path, key])),
    bodyHash: sha256(JSON.stringify(scope.body ?? null)),
  }
}

/** Runs the work once: replays what is stored, or stores what it answers. Must be called inside the effect's transaction. */
export async function once(
  ctx: BaseCtx,
  request: IdempotentRequest,
  work: () => Promise<StoredReply>,
): Promise<StoredReply & { replayed: boolean }> {
  const { tenantId, keyHash, bodyHash } = request
  const lock = keyHash.readBigInt64BE(0)
  const { rows } = await sql<{ free: boolean }>`SELECT pg_try_advisory_xact_lock(${lock.toString()}::bigint) AS free`.execute(
    ctx.tx,
  )
  if (!rows[0]?.free) throw stillRunning()
  const before = await ctx.tx
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status', 'reply'])
    .where('tenant_id', '=', tenantId)
    .where('key_hash', '=', keyHash)
    .where('created_at', '>', plusSeconds(ctx.now, -24 * 3600))
    .executeTakeFirst()
  if (before) {
    if (!before.body_hash.equals(bodyHash)) throw invalid({ 'Idempotency-Key': 'This key was already used with another body.' })
    if (before.status === null || before.reply === null) throw stillRunning()
    return { status: before.status, payload: ctx.services.secrets.decrypt('idempotency', before.reply), replayed: true }
  }
  const reply = await work()
  const stored = {
    body_hash: bodyHash,
    status: reply.status,
    reply: ctx.services.secrets.encrypt('idempotency', reply.payload),
    created_at: ctx.now,
  }
  await ctx.tx
    .insertInto('idempotency_keys')
    .values({ tenant_id: tenantId, key_hash: keyHash, ...stored })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'key_hash']).doUpdateSet(stored)) // an expired one
    .execute()
  return { ...reply, replayed: false }
}

const stillRunning = () => conflict('A request with this Idempotency-Key is still running.')
