/**
 * API keys, with which programs authenticate. A key limits the permissions of its owner, a user or a service account, to its
 * scopes. The kernel's `bearer-token.ts` checks it with each transaction, as it checks sessions.
 */
import { type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import type { Actor, BaseCtx } from '../../context.ts'
import { invalid, notFound } from '../../errors.ts'
import { covers } from '../../modules/permissions.ts'
import type { Permission } from '../../names.ts'
import { newApiKey } from '../../secrets/api-key.ts'
import { audit } from '../../tenancy/audit.ts'
import { ACTING } from '../../tenancy/platform-accounts.ts'
import { plusSeconds } from '../../values/time.ts'
import { type Account, lockAccount, ownedBy } from '../accounts.ts'
import { notifyCredentialChange } from '../credential-changes.ts'
import type { CreateKey, RotateKey, UpdateKey } from './schema.ts'

/** Maximum number of live keys per account. */
const MAX_KEYS = 500
/** Seconds for which ended keys are listed; after that, creating a key deletes them. */
const REMEMBERED = 90 * 86_400
const HOUR = 3600

/** Context of a user who manages keys, in a workspace or on the platform. */
export type KeyCtx = BaseCtx & { actor: Actor; can(permission: never): boolean }

/** Owner of keys, and the permissions of the owner's account. */
export interface KeyOwner extends Account {
  /**
   * For a service account: its permissions; its keys can't exceed those of the user who creates them. Undefined: the user's own
   * keys.
   */
  permissions?: ReadonlySet<string>
}

const columns = [
  'id',
  'name',
  'scopes',
  'prefix',
  'allowed_networks',
  'last_used_at',
  'last_used_ip',
  'expires_at',
  'revoked_at',
  'created_at',
] as const

const isLive = ({ now }: BaseCtx) => sql<SqlBool>`(revoked_at is null and (expires_at is null or expires_at > ${now}))`

/** Returns the account's keys, newest first: all live ones, and those that ended within 90 days, up to a limit. */
export const keysOf = (ctx: BaseCtx, owner: Account) =>
  ctx.tx
    .selectFrom(
      ctx.tx
        .selectFrom('api_keys')
        .select(columns)
        .where(ownedBy(owner))
        .orderBy(isLive(ctx), 'desc')
        .orderBy('id', 'desc')
        .limit(2 * MAX_KEYS)
        .as('listed'),
    )
    .select(columns)
    .orderBy('id', 'desc')
    .execute()

/**
 * Creates a key; its secret is returned only once. Throws 422 on `scopes` for unknown permissions or those that the actor lacks,
 * and on `name` if there are too many keys.
 */
export async function createKey(ctx: KeyCtx, owner: KeyOwner, every: Iterable<string>, body: z.output<typeof CreateKey>) {
  checkScopes(ctx, owner, every, body.scopes)
  checkExpiry(ctx, body.expires_at)
  await lockAccount(ctx, owner) // the lock serialises concurrent requests, so that each counts the others' keys
  await forgetEnded(ctx, owner)
  const { live } = await ctx.tx
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('live'))
    .where(ownedBy(owner))
    .where(isLive(ctx))
    .executeTakeFirstOrThrow()
  if (live >= MAX_KEYS) throw invalid({ name: `There are ${MAX_KEYS} keys already; revoke one that is not used any more.` })
  const { id } = await ctx.tx
    .insertInto('api_keys')
    .values({
      tenant_id: owner.tenant_id,
      user_id: owner.user_id,
      name: body.name,
      scopes: body.scopes,
      allowed_networks: body.allowed_networks,
      expires_at: body.expires_at ?? null,
      prefix: '',
      secret_hash: Buffer.alloc(0), // replaced once the id is known
      created_by: ctx.actor.id!,
      created_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { key, prefix, secret_hash } = newApiKey(id)
  const made = await change(ctx, owner, id, { prefix, secret_hash })
  await tellOfSecret(ctx, owner, 'api_key.created', { ...named(made, owner), scopes: body.scopes })
  return { ...made, key }
}

/** Changes a live key. Throws 422 as `createKey`. */
export async function updateKey(
  ctx: KeyCtx,
  owner: KeyOwner,
  every: Iterable<string>,
  id: number,
  body: z.output<typeof UpdateKey>,
) {
  const before = await lockLiveKey(ctx, owner, id)
  refuseBeyond(ctx, owner, before.scopes)
  if (body.scopes)
    checkScopes(
      ctx,
      owner,
      every,
      body.scopes.filter((scope) => !before.scopes.includes(scope)),
    )
  checkExpiry(ctx, body.expires_at)
  if (!Object.keys(body).length) return before
  const saved = await change(ctx, owner, id, body)
  await audit(ctx, 'api_key.updated', { ...named(saved, owner), fields: Object.keys(body) })
  return saved
}

/**
 * Gives a key a new secret, returned only once. The former secret stays valid for `overlap_hours`, and an older one until its own
 * expiry. With an overlap of 0 both end immediately.
 */
export async function rotateKey(ctx: KeyCtx, owner: KeyOwner, id: number, { overlap_hours }: z.output<typeof RotateKey>) {
  const before = await lockLiveKey(ctx, owner, id)
  refuseBeyond(ctx, owner, before.scopes)
  const { key, prefix, secret_hash } = newApiKey(id)
  const isOlderKept = overlap_hours > 0 && before.former_expires_at !== null && before.former_expires_at > ctx.now
  const saved = await change(ctx, owner, id, {
    prefix,
    secret_hash,
    former_hash: overlap_hours ? before.secret_hash : null,
    former_expires_at: overlap_hours ? plusSeconds(ctx.now, overlap_hours * HOUR) : null,
    older_hash: isOlderKept ? before.former_hash : null,
    older_expires_at: isOlderKept ? before.former_expires_at : null,
  })
  await tellOfSecret(ctx, owner, 'api_key.rotated', { ...named(saved, owner), overlap_hours })
  return { ...saved, key }
}

/** Records a new secret in the audit log, and mails the key's owner; service accounts have no address. */
const tellOfSecret = (
  ctx: KeyCtx,
  owner: KeyOwner,
  event: 'api_key.created' | 'api_key.rotated',
  told: Record<string, unknown>,
) => (owner.permissions ? audit(ctx, event, told) : notifyCredentialChange(ctx, owner, event, told))

/**
 * Revokes a key, immediately and in every process. Does nothing if it is already revoked. Throws 404 if the account has no such
 * key.
 */
export async function revokeKey(ctx: KeyCtx, owner: KeyOwner, id: number) {
  const key = await lockKey(ctx, owner, id)
  if (key.revoked_at !== null) return
  refuseBeyond(ctx, owner, key.scopes)
  await change(ctx, owner, id, { revoked_at: ctx.now, ...NO_FORMER })
  await audit(ctx, 'api_key.revoked', named(key, owner))
}

/** Revokes all keys of a deleted account. */
export const revokeKeys = (ctx: BaseCtx, owner: Account) =>
  ctx.tx
    .updateTable('api_keys')
    .set({ revoked_at: ctx.now, ...NO_FORMER })
    .where(ownedBy(owner))
    .where('revoked_at', 'is', null)
    .execute()

const named = ({ id, name }: { id: number; name: string }, { user_id, permissions }: KeyOwner) => ({
  api_key_id: id,
  name,
  ...(permissions ? { service_account_id: user_id } : {}),
})

/** Throws 404 if the account has no key with this id. */
export async function findKey(ctx: BaseCtx, owner: Account, id: number) {
  const found = ctx.tx.selectFrom('api_keys').select('id').where(ownedBy(owner)).where('id', '=', id)
  if (!(await found.executeTakeFirst())) throw notFound('There is no such API key.')
}

async function lockKey(ctx: BaseCtx, owner: Account, id: number) {
  const found = ctx.tx.selectFrom('api_keys').selectAll().where(ownedBy(owner)).where('id', '=', id)
  const key = await found.forUpdate().executeTakeFirst()
  if (!key) throw notFound('There is no such API key.')
  return key
}

async function lockLiveKey(ctx: BaseCtx, owner: Account, id: number) {
  const key = await lockKey(ctx, owner, id)
  const { revoked_at, expires_at } = key
  if (revoked_at !== null) throw invalid({ key: 'This API key was revoked.' })
  if (expires_at !== null && expires_at <= ctx.now) throw invalid({ key: 'This API key has expired.' })
  return key
}

const NO_FORMER = { former_hash: null, former_expires_at: null, older_hash: null, older_expires_at: null }

type KeyChanges = Partial<{
  name: string
  scopes: string[]
  allowed_networks: string[]
  expires_at: string | null
  prefix: string
  secret_hash: Buffer
  former_hash: Buffer | null
  former_expires_at: string | null
  older_hash: Buffer | null
  older_expires_at: string | null
  revoked_at: string
}>

const change = (ctx: BaseCtx, owner: Account, id: number, changes: KeyChanges) =>
  ctx.tx
    .updateTable('api_keys')
    .set(changes)
    .where(ownedBy(owner))
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()

const forgetEnded = (ctx: BaseCtx, owner: Account) => {
  const before = plusSeconds(ctx.now, -REMEMBERED)
  return ctx.tx
    .deleteFrom('api_keys')
    .where(ownedBy(owner))
    .where((eb) => eb.or([eb('revoked_at', '<', before), eb('expires_at', '<', before)]))
    .execute()
}

/**
 * Throws 422 on `scopes` for unknown permissions, and for those that the actor lacks. `read` and `*` cover the account's own
 * permissions; those of a service account must be within the actor's.
 */
function checkScopes(ctx: KeyCtx, owner: KeyOwner, every: Iterable<string>, scopes: string[]) {
  const known = new Set(every)
  const unknown = scopes.find((scope) => scope !== '*' && scope !== 'read' && !known.has(scope))
  if (unknown) throw invalid({ scopes: `There is no permission ${unknown}.` })
  const lacking = lackingOf(ctx, owner, scopes)
  if (lacking) throw invalid({ scopes: `You may not give what you lack yourself: ${lacking}.` })
}

/**
 * Throws 422 on `key` if a service account's key has permissions that the actor lacks: then the actor may not change, rotate or
 * revoke it.
 */
function refuseBeyond(ctx: KeyCtx, owner: KeyOwner, scopes: string[]) {
  const lacking = owner.permissions && lackingOf(ctx, owner, scopes)
  if (lacking) throw invalid({ key: `This key may what you lack yourself: ${lacking}.` })
}

/** Returns the first permission that these scopes grant and the actor lacks. */
function lackingOf(ctx: KeyCtx, { permissions }: KeyOwner, scopes: string[]): string | undefined {
  const can = (permission: string) => ctx.can(permission as Permission as never)
  // On the platform, workspace permissions come with the permission to act in workspaces.
  const may = (permission: string) => can(permission) || (!('tenant' in ctx) && isOfWorkspaces(ctx, permission) && can(ACTING))
  const given = scopes.flatMap((scope) =>
    scope === '*' || scope === 'read' ? [...(permissions ?? [])].filter((permission) => covers([scope], permission)) : [scope],
  )
  return given.find((permission) => !may(permission))
}

const isOfWorkspaces = ({ services }: BaseCtx, permission: string) =>
  services.modules.permissions('workspace').some(({ name }) => name === permission)

function checkExpiry({ now }: BaseCtx, expires_at: string | null | undefined) {
  if (expires_at && expires_at <= now) throw invalid({ expires_at: 'Must be in the future.' })
}
