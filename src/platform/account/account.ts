/** Accounts of platform users. */
import { z } from 'zod'
import type { Account } from '#kernel/auth/accounts.ts'
import type { Realm } from '#kernel/auth/realm.ts'
import type { BaseCtx, PlatformCtx } from '#kernel/context.ts'
import { platform } from '#kernel/http/route.ts'
import { formatted, instant } from '#kernel/values/fields.ts'
import { endWithSession } from '#platform/impersonation/public.ts'
import { SUPERADMIN } from '#platform/roles/public.ts'

const Profile = z
  .object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    pending_email: z.string().nullable(),
    phone: z.string().nullable(),
    avatar_path: z.string().nullable(),
    avatar_url: formatted('uri').nullable(),
    role: z.array(z.string()),
    permissions: z.array(z.string()).meta({
      description: 'Names of what the caller may do on the platform, all roles together.',
      examples: [['tenants.list', 'tenants.read']],
    }),
    email_verified_at: instant().nullable(),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'PlatformProfile' })

/** Sign-in and account of platform users. */
export const operators: Realm = {
  api: 'platform',
  signedIn: platform,
  paths: { logout: '/me/logout', saveMe: 'post' },
  has: ({ tenant_id }) => tenant_id === null,
  workspaceOf: async () => undefined,
  candidates: async (ctx, { email }) => {
    const found = await ctx.tx
      .selectFrom('platform_users')
      .select(['id', 'password_hash'])
      .where('email', '=', email)
      .where('is_service', '=', false)
      .where('deleted_at', 'is', null)
      .execute()
    return found.map(({ id, password_hash }) => ({ tenant_id: null, user_id: id, password_hash }))
  },
  mostCandidates: 1,
  me: Profile,
  profile,
  welcome: z.object({ user: Profile }),
  greet: (user) => ({ user }),
  signedOut: (ctx, tokenId) => endWithSession(ctx as PlatformCtx, tokenId),
  invitations: ['invitation', 'set-up'],
  invitationSignsIn: false,
}

/** Returns a platform user's own profile with all their permissions. */
async function profile(ctx: BaseCtx, { user_id }: Account): Promise<z.input<typeof Profile>> {
  const user = await ctx.tx
    .selectFrom('platform_users')
    .select(['id', 'name', 'email', 'pending_email', 'phone', 'avatar_path', 'email_verified_at', 'created_at', 'updated_at'])
    .where('id', '=', user_id)
    .executeTakeFirstOrThrow()
  const roles = await ctx.tx
    .selectFrom('platform_user_roles as ur')
    .innerJoin('platform_roles as r', 'r.id', 'ur.role_id')
    .select(['r.name', 'r.permissions'])
    .where('ur.user_id', '=', user_id)
    .orderBy('r.name')
    .execute()
  const role = roles.map(({ name }) => name)
  const permissions = role.includes(SUPERADMIN)
    ? ctx.services.modules.permissions('platform').map(({ name }) => name)
    : [...new Set(roles.flatMap((one) => one.permissions))]
  const avatar_url = user.avatar_path && ctx.services.storage.url(user.avatar_path)
  return { ...user, avatar_url, role, permissions }
}
