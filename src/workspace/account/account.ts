/** The account in a workspace: finding the users of an address, and the profile of a signed-in user. */
import { sql } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import { z } from 'zod'
import type { Account } from '#kernel/auth/accounts.ts'
import { Workspace } from '#kernel/auth/identity.ts'
import type { Lookup, Realm } from '#kernel/auth/realm.ts'
import type { BaseCtx, Ctx } from '#kernel/context.ts'
import { workspace } from '#kernel/http/route.ts'
import { emit } from '#kernel/modules/events.ts'
import { permissionsBy } from '#kernel/modules/permissions.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { enterWorkspace, type HeldRole, heldRoles, refuseClosed, workspaceState } from '#kernel/tenancy/session.ts'
import { formatted, instant } from '#kernel/values/fields.ts'
import { hostName, slugOfHost } from '#workspace/branded/public.ts'

const Profile = z
  .object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    pending_email: z.string().nullable(),
    avatar_path: z.string().nullable(),
    avatar_url: formatted('uri').nullable(),
    role: z.array(z.string()),
    is_owner: z.boolean().describe('Whether the user owns the workspace and so passes every permission.'),
    email_verified_at: instant().nullable(),
    created_at: instant(),
  })
  .meta({ id: 'Profile' })

const Me = z.object({
  user: Profile,
  workspace: Workspace,
  permissions: z.array(z.string()).meta({
    description: 'Names of what the caller may do in the workspace, all roles together.',
    examples: [['fleet.view', 'fleet.create']],
  }),
  modules: z
    .array(z.string())
    .meta({ description: 'Keys of the modules that work in the workspace.', examples: [['fleet', 'repair-shops']] }),
})

/** Maximum workspaces tried for an address; a user of more has to name the workspace. */
const MAX_CANDIDATES = 5

/** Sign-in of the users of workspaces. */
export const members: Realm = {
  api: 'workspace',
  signedIn: workspace as unknown as Realm['signedIn'],
  paths: { logout: '/auth/logout', saveMe: 'put' },
  has: ({ tenant_id }) => tenant_id !== null,
  workspaceOf: async (ctx, { workspace: slug }) => slug?.trim().toLowerCase() ?? slugOfHost(ctx),
  ownHost,
  candidates,
  mostCandidates: MAX_CANDIDATES,
  me: Me,
  profile,
  welcome: Me,
  greet: (me) => me,
  refuse,
  signedInto: (ctx, { tenant_id, user_id }, { id, name }) =>
    enterWorkspace(ctx, tenant_id!, async (inside) => {
      const { user } = await profile(inside, { tenant_id, user_id })
      const actor = { ...inside.actor, ...user, isOwner: user.is_owner, roles: user.role, token: { id, name } }
      await emit({ ...inside, actor }, 'user.signed_in', { user_id })
    }),
  signedOut: (ctx, token_id) => emit(ctx as Ctx, 'user.signed_out', { user_id: (ctx as Ctx).actor.id!, token_id }),
  invitations: ['invitation'],
  invitationSignsIn: true,
}

async function ownHost(ctx: BaseCtx) {
  const slug = await slugOfHost(ctx)
  if (slug === undefined) return undefined
  const found = ctx.tx.selectFrom('tenants').select('id').where('slug', '=', slug).where('deleted_at', 'is', null)
  const tenant = await found.executeTakeFirst()
  return tenant && { host: hostName(ctx), tenant_id: tenant.id }
}

/** Accounts with a verified address come first, so that accounts created by others can't displace them. */
function candidates(ctx: BaseCtx, { email, workspace: slug, proven }: Lookup) {
  let query = ctx.tx
    .selectFrom('sign_in_directory as d')
    .innerJoin('tenants as t', 't.id', 'd.tenant_id')
    .select(['d.tenant_id', 'd.user_id', 'd.password_hash'])
    .select((eb) => jsonBuildObject({ slug: eb.ref('t.slug'), name: eb.ref('t.workspace_name') }).as('workspace'))
    .where('d.email', '=', email)
    .where('t.deleted_at', 'is', null)
    .orderBy(sql`not d.is_verified, d.tenant_id, d.user_id`)
    .limit(MAX_CANDIDATES)
  if (slug !== undefined) query = query.where('t.slug', '=', slug)
  if (proven) query = query.where('d.is_verified', '=', true)
  return query.execute()
}

async function refuse(ctx: BaseCtx, { tenant_id }: Account) {
  const state = await workspaceState(ctx.tx, tenant_id!)
  if (state) refuseClosed(state.tenant)
}

type Found = Omit<z.input<typeof Profile>, 'avatar_url' | 'role'> & {
  workspace: z.input<typeof Workspace>
  roles: HeldRole[]
  modules: string[]
}

/** Returns the user, the workspace, and the user's permissions. */
async function profile(ctx: BaseCtx, { tenant_id, user_id }: Account): Promise<z.input<typeof Me>> {
  const tenantId = tenant_id!
  const { rows } = await sql<Found>`
    select u.id, u.name, u.email, u.pending_email, u.avatar_path, u.is_owner, u.email_verified_at, u.created_at,
      json_build_object('id', t.id, 'slug', t.slug, 'name', t.workspace_name, 'timezone', t.timezone, 'currency', t.currency, 'locale', t.locale) as workspace,
      ${heldRoles(tenantId)} as roles,
      (select coalesce(json_agg(module_key order by module_key), '[]') from module_subscriptions
        where tenant_id = ${tenantId} and status = any(${LIVE})) as modules
    from users u join tenants t on t.id = ${tenantId} where u.tenant_id = ${tenantId} and u.id = ${user_id}`.execute(ctx.tx)
  const { workspace, roles, modules, ...user } = rows[0]!
  const installed = new Set(modules)
  const permissions = permissionsBy(ctx.services.modules, roles, (key) => installed.has(key))
  return {
    user: {
      ...user,
      avatar_url: user.avatar_path && ctx.services.storage.url(user.avatar_path),
      role: roles.map(({ name }) => name),
    },
    workspace,
    permissions: [...permissions].sort(),
    modules,
  }
}
