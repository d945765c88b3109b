/** Sessions of jobs: as the system, or as a user with their permissions at that moment. */
import { type Actor, type Services, type Session, systemActor } from '../context.ts'
import { allPipelined, type Tx } from '../database/connect.ts'
import type { Module } from '../modules/module.ts'
import { heldByPlatform, keyIn, mayStillAct } from '../tenancy/platform-accounts.ts'
import { buildSession, closureOf, heldRoles, missingModule, workspaceState } from '../tenancy/session.ts'
import type { Ended, Message } from './job.ts'

/**
 * Returns the session of a job, or the reason why it can't run. Reasons: the workspace is gone, archived or suspended; the module
 * or a required one isn't entitled; the user is gone or suspended. With `always`, only workspace and user must exist.
 */
export async function sessionFor(
  { database, clock, modules: declared, readSettings }: Services,
  {
    tenant_id: tenantId = 0,
    actor_id: actorId = null,
    impersonator = null,
    key_id: keyId = null,
  }: Pick<Message, 'tenant_id' | 'actor_id' | 'impersonator' | 'key_id'>,
  module: Module | undefined,
  always = false,
): Promise<Session | Ended> {
  const [state, user, key] = await database.platform('read', (tx) =>
    allPipelined(
      workspaceState(tx, tenantId),
      tx
        .selectFrom('users as u')
        .select([
          'u.id',
          'u.name',
          'u.email',
          'u.is_owner',
          'u.suspended_at',
          'u.platform_user_id',
          heldRoles(tenantId).as('held'),
        ])
        .where('u.tenant_id', '=', tenantId)
        .where('u.id', '=', actorId)
        .where('u.deleted_at', 'is', null)
        .executeTakeFirst(),
      keyId === null ? Promise.resolve(undefined) : liveKey(tx, keyId, clock.now()),
    ),
  )
  if (!state) return { ended: 'The workspace is gone.' }
  const closure = closureOf(state.tenant)
  if (!always && closure) return { ended: `The workspace is ${closure}.` }
  const absent = missingModule(module, state.modules)
  if (!always && absent) return { ended: `The module ${absent} is not installed.` }
  if (actorId === null) return buildSession(declared, state, systemActor)
  if (!user) return { ended: 'The user on whose behalf it was is gone.' }
  if (user.suspended_at) return { ended: 'The user on whose behalf it was is suspended.' }
  if (keyId !== null && !key) return { ended: 'The API key by which it was sent has ended.' }
  const { id, name, email, is_owner: isOwner, held, platform_user_id: platformUserId } = user
  const actor: Actor = { id, name, email, isOwner, roles: held.map((role) => role.name), token: null, impersonator, key }
  if (platformUserId !== null) {
    const may = await database.platform(
      'read',
      async (tx) => (await readSettings(tx, tenantId)).platform_access && (await mayStillAct(tx, platformUserId, key?.scopes)),
    )
    if (!may) return { ended: 'The account of the platform on whose behalf it was may not work in workspaces any more.' }
    return buildSession(declared, state, { ...actor, key: keyIn(declared, key), isPlatformAccount: true }, heldByPlatform)
  }
  return buildSession(declared, state, actor, held)
}

/** Selects a key by its id, unless it is revoked or expired. */
export const liveKey = (tx: Tx, id: number, now: string) =>
  tx
    .selectFrom('api_keys')
    .select(['id', 'name', 'scopes'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()
