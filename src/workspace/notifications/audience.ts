/** Recipients of notifications: users as they are now, each with a ctx of their own permissions. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Ctx, workspaceAbilities } from '#kernel/context.ts'
import { subjectOf } from '#kernel/modules/subjects.ts'
import type { SubjectType } from '#kernel/names.ts'
import { buildSession, type HeldRole, heldRoles } from '#kernel/tenancy/session.ts'
import type { Envelope } from './envelope.ts'

/**
 * A possible recipient. `ctx` is the event's own with this user as actor, so that it finds only records that the user may see.
 */
export interface Viewer {
  id: number
  /** Null until verified: an unverified address may belong to another person. */
  email: string | null
  ctx: Ctx
}

/** A stored notification. */
export interface News {
  id: string
  type: string
  viewer: Viewer
  data: Envelope
  /** Due date of the record. */
  due: string | null
}

interface Member {
  id: number
  name: string
  email: string
  verified: boolean
  is_owner: boolean
  held: HeldRole[]
}

/** Returns the users who exist, are not suspended and are no service accounts. */
export async function viewersAmong(ctx: Ctx, userIds: number[]): Promise<Viewer[]> {
  if (!userIds.length) return []
  const { rows } = await sql<Member>`
    select u.id, u.name, u.email, u.email_verified_at is not null as verified, u.is_owner, ${heldRoles(ctx.tenant.id)} as held
    from users u
    where u.tenant_id = ${ctx.tenant.id} and u.id = any(${userIds}::bigint[]) and u.deleted_at is null and u.suspended_at is null and not u.is_service
    order by u.id`.execute(ctx.tx)
  return rows.map((member) => ({
    id: member.id,
    email: member.verified ? member.email : null,
    ctx: { ...ctx, ...powersOf(ctx, member) },
  }))
}

function powersOf(ctx: Ctx, { id, name, email, is_owner: isOwner, held }: Member) {
  const modules = new Set([...ctx.services.modules.workspace.keys()].filter(ctx.entitled))
  const actor = { id, name, email, isOwner, roles: held.map((role) => role.name), token: null, impersonator: null }
  return workspaceAbilities(ctx, buildSession(ctx.services.modules, { tenant: ctx.tenant, modules }, actor, held))
}

interface Seen {
  name: string
  due: string | null
}

/** Returns the live records that the user may see; empty where the module isn't installed. */
export async function recordsSeen(viewer: Viewer, type: SubjectType, ids: number[]): Promise<Map<number, Seen>> {
  const { ctx } = viewer
  const subject = subjectOf(ctx, type)
  if (!subject?.entitled(ctx) || !subject.viewable(ctx) || !ids.length) return new Map()
  const at = (column: string) => sql.ref(`${subject.table}.${column}`)
  const conditions: (RawBuilder<SqlBool> | undefined)[] = [
    sql`${at('tenant_id')} = ${ctx.tenant.id}`,
    sql`${at('id')} = any(${ids}::bigint[])`,
    sql`${at('deleted_at')} is null`,
    subject.visible(ctx, subject.table),
  ]
  const due = subject.of.due ? at(subject.of.due) : sql`null`
  const { rows } = await sql<{ id: number; name: string | null; due: string | null }>`
    select ${at('id')} as id, ${at(subject.title)} as name, ${due} as due from ${sql.table(subject.table)}
    where ${sql.join(
      conditions.filter((one) => one !== undefined),
      sql` and `,
    )} order by 1`.execute(ctx.tx)
  return new Map(rows.map(({ id, name, due }) => [id, { name: name ?? `${subject.noun} ${id}`, due }]))
}
