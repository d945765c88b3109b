/** How a job enters its workspace: as the system, or on behalf of a user with the rights that the user has at that moment. */
import { sql } from 'kysely'
import { type Actor, type Services, type Session, systemActor } from '../context.ts'
import { allPipelined } from '../database/connect.ts'
import type { Module } from '../modules/load.ts'
import { permissionsBy, type RoleKind } from '../modules/permissions.ts'
import { installedModules } from '../modules/subscriptions.ts'
import type { Ended, Message } from './job.ts'

type Held = { kind: RoleKind | null; permissions: string[] }

/**
 * The session in which a job runs, or why it can't: the workspace is gone, archived or suspended, the module or one that it
 * requires isn't entitled, the user is gone or suspended. `always` asks only that workspace and user exist.
 */
export async function sessionFor(
  { database, modules: installed }: Services,
  {
    tenant_id: tenantId = 0,
    actor_id: actorId = null,
    impersonator = null,
  }: Pick<Message, 'tenant_id' | 'actor_id' | 'impersonator'>,
  module: Module | undefined,
  always = false,
): Promise<Session | Ended> {
  const [tenant, modules, user] = await database.platform('read', (tx) =>
    allPipelined(
      tx
        .selectFrom('tenants')
        .select(['id', 'slug', 'workspace_name as name', 'timezone', 'currency', 'locale', 'status', 'archived_at'])
        .where('id', '=', tenantId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst(),
      installedModules(tx, tenantId),
      tx
        .selectFrom('users as u')
        .leftJoin('user_roles as ur', (join) => join.onRef('ur.tenant_id', '=', 'u.tenant_id').onRef('ur.user_id', '=', 'u.id'))
        .leftJoin('roles as r', (join) => join.onRef('r.tenant_id', '=', 'ur.tenant_id').onRef('r.id', '=', 'ur.role_id'))
        .select(['u.id', 'u.name', 'u.email', 'u.is_owner', 'u.suspended_at'])
        .select([
          sql<string[]>`coalesce(json_agg(r.name) FILTER (WHERE r.id IS NOT NULL), '[]')`.as('roles'),
          sql<
            Held[]
          >`coalesce(json_agg(json_build_object('kind', r.kind, 'permissions', r.permissions)) FILTER (WHERE r.id IS NOT NULL), '[]')`.as(
            'held',
          ),
        ])
        .where('u.tenant_id', '=', tenantId)
        .where('u.id', '=', actorId)
        .where('u.deleted_at', 'is', null)
        .groupBy(['u.tenant_id', 'u.id'])
        .executeTakeFirst(),
    ),
  )
  const needed = module && !module.core ? [module.key, ...(module.requires ?? [])] : []
  const absent = needed.find((key) => !modules.has(key))
  if (!tenant) return { ended: 'The workspace is gone.' }
  if (!always && tenant.archived_at) return { ended: 'The workspace is archived.' }
  if (!always && tenant.status === 'suspended') return { ended: 'The workspace is suspended.' }
  if (!always && absent) return { ended: `The module ${absent} is not installed.` }
  if (actorId === null) return { tenant, actor: systemActor, permissions: new Set(), modules }
  if (!user) return { ended: 'The user on whose behalf it was is gone.' }
  if (user.suspended_at) return { ended: 'The user on whose behalf it was is suspended.' }
  const { id, name, email, is_owner: isOwner, roles, held } = user
  const actor: Actor = { id, name, email, isOwner, roles, token: null, impersonator }
  return { tenant, actor, permissions: permissionsBy(installed, held, (key) => modules.has(key)), modules }
}
