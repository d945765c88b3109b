/**
 * API keys: what programs sign in with. A key narrows the rights of whose it is, a person or a service account, to its scopes; it is
 * judged with each transaction as sessions are, by the kernel's `bearer-token.ts`.
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

/** Live keys of one account at most. */
const MAX_KEYS = 500
/** Keys that have ended are listed for so long; then the next new one takes their place. In seconds. */
const REMEMBERED = 90 * 86_400
const HOUR = 3600

/** Whoever manages keys: in a workspace or on the platform. */
export type KeyCtx = BaseCtx & { actor: Actor; can(permission: never): boolean }

/** Whose keys they are, and what the account itself may do. */
export interface KeyOwner extends Account {
  /** Of a service account; its keys never reach further than who gives them. Undefined: one's own. */
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

/** The account's keys, the newest first: all that are live, and those that have ended for 90 days, as far as there is room. */
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

/** A new key, which is told once. 422 on `scopes` for one that is unknown or beyond the actor, on `name` where there are too many keys. */
export async function createKey(ctx: KeyCtx, owner: KeyOwner, every: Iterable<string>, body: z.output<typeof CreateKey>) {
  checkScopes(ctx, owner, every, body.scopes)
  checkExpiry(ctx, body.expires_at)
  await lockAccount(ctx, owner) // many at once count one after the other
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
      secret_hash: Buffer.alloc(0), // of no secret, until the id is known
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

/** Changes a key that is live. 422 as `createKey`. */
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
 * Gives a key another secret, told once. The former one works for so many hours more, and so does one before it for as long as it was promised; with an
 * overlap of none both end.
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

/** A new secret stands in the audit log, and is mailed to the person whose key it is; service accounts have nobody to be mailed to. */
const tellOfSecret = (
  ctx: KeyCtx,
  owner: KeyOwner,
  event: 'api_key.created' | 'api_key.rotated',
  told: Record<string, unknown>,
) => (owner.permissions ? audit(ctx, event, told) : notifyCredentialChange(ctx, owner, event, told))

/** Ends a key, at once and in every process. Again: nothing. 404 where the account has none of this id. */
export async function revokeKey(ctx: KeyCtx, owner: KeyOwner, id: number) {
  const key = await lockKey(ctx, owner, id)
  if (key.revoked_at !== null) return
  refuseBeyond(ctx, owner, key.scopes)
  await change(ctx, owner, id, { revoked_at: ctx.now, ...NO_FORMER })
  await audit(ctx, 'api_key.revoked', named(key, owner))
}

/** Ends all keys of an account that is deleted. */
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

/** 404 where the account has no key of this id. */
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
 * 422 on `scopes`: for what is no permission, and for what the actor lacks. `read` and `*` stand for whatever the account may: of a service
 * account that may be no more than the actor may.
 */
function checkScopes(ctx: KeyCtx, owner: KeyOwner, every: Iterable<string>, scopes: string[]) {
  const known = new Set(every)
  const unknown = scopes.find((scope) => scope !== '*' && scope !== 'read' && !known.has(scope))
  if (unknown) throw invalid({ scopes: `There is no permission ${unknown}.` })
  const lacking = lackingOf(ctx, owner, scopes)
  if (lacking) throw invalid({ scopes: `You may not give what you lack yourself: ${lacking}.` })
}

/** 422 on `key`: a key of a service account that reaches further than the actor is changed, renewed and ended by others. */
function refuseBeyond(ctx: KeyCtx, owner: KeyOwner, scopes: string[]) {
  const lacking = owner.permissions && lackingOf(ctx, owner, scopes)
  if (lacking) throw invalid({ key: `This key may what you lack yourself: ${lacking}.` })
}

/** The first permission that these scopes give and the actor lacks. */
function lackingOf(ctx: KeyCtx, { permissions }: KeyOwner, scopes: string[]): string | undefined {
  const can = (permission: string) => ctx.can(permission as Permission as never)
  // On the platform, what is done in workspaces goes with the right to work in them.
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
