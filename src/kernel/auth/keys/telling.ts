/** Who is told by mail of an API key: whoever it was made for, and those who look after keys, because a thief of a session can make one. */
import { sql } from 'kysely'
import type { Actor, BaseCtx } from '../../context.ts'
import { plainName } from '../../mail/names.ts'
import { plusSeconds } from '../../values/time.ts'
import type { Account } from '../accounts.ts'
import { mailOwner } from '../credential-changes.ts'

/** Whoever holds this looks after keys of others, and is told of them all. */
const LOOKING_AFTER = 'service-accounts.manage'
/** Of those so many at most are told: the owner first, then the longest here. */
const MAX_WATCHERS = 10
/** Deeds of one person in an hour that are mailed; further ones stand in the audit log. */
const MAX_TOLD = 5
const HOUR = 3600

/** By their event in the audit log. */
const deeds = {
  'api_key.created': 'An API key was made',
  'api_key.rotated': 'An API key was given another secret',
  'api_key.confirmed': 'An API key that was suspended works again',
}

interface Told {
  id: number
  name: string
  email: string
}

/** Mails that the actor made, rotated or confirmed a key, behind its entry in the audit log. The letter holds nothing of its secret. */
export async function tellOfKey(
  ctx: BaseCtx & { actor: Actor },
  deed: keyof typeof deeds,
  { name, scopes }: { name: string; scopes: string[] },
  owner: Account & { permissions?: unknown },
) {
  const { tenant_id } = owner
  const nth = await deedsOfTheHour(ctx, tenant_id, deed)
  if (nth > MAX_TOLD) return
  const { id, name: by, email } = ctx.actor
  const facts = [
    { label: 'Its name', value: plainName(name) },
    { label: 'It may', value: plainName(scopes.slice(0, 3).join(', ')) + (scopes.length > 3 ? ' …' : '') },
    { label: 'By', value: plainName(by) },
    ...(ctx.request.ip ? [{ label: 'From the address', value: ctx.request.ip }] : []),
    { label: 'At', value: ctx.now },
  ]
  const type = deed.replace('.', '_')
  const more = nth === MAX_TOLD ? ['Further ones within this hour are not mailed: they stand in the audit log.'] : []
  const account = { tenant_id, user_id: id! }
  await mailOwner(ctx, account, { name: by, email }, type, {
    paragraphs: [
      `${deeds[deed]} in your name, for ${owner.permissions ? 'a service' : 'your own'} account. It lets a program in without your password.`,
      'If it was not you, choose a new password, end your other sessions, and revoke the key.',
      ...more,
    ],
    facts,
  })
  const others = (await watchers(ctx, tenant_id)).filter((one) => one.id !== id && one.email !== email)
  for (const one of others)
    await mailOwner(ctx, { tenant_id, user_id: one.id }, one, type, {
      paragraphs: [
        `${deeds[deed]} by ${plainName(by)}, for ${owner.permissions ? 'a service' : 'their own'} account.`,
        'If that is a surprise to you, ask them, or suspend their account.',
        ...more,
      ],
      facts,
    })
}

/** How many such deeds of the actor the audit log has of the last hour, this one among them. */
async function deedsOfTheHour(ctx: BaseCtx & { actor: Actor }, tenantId: number | null, event: string) {
  const { n } = await ctx.tx
    .selectFrom('audit_logs')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', tenantId ?? 0)
    .where('event', '=', event)
    .where('actor_id', '=', ctx.actor.id)
    .where('created_at', '>', plusSeconds(ctx.now, -HOUR))
    .executeTakeFirstOrThrow()
  return n
}

/** The owner of the workspace, or superadmins of the platform, and whoever looks after keys there. */
async function watchers({ tx }: BaseCtx, tenantId: number | null): Promise<Told[]> {
  const people =
    tenantId === null
      ? sql<Told>`
        select u.id, u.name, u.email from platform_users u
        where u.deleted_at is null and u.suspended_at is null and u.email_verified_at is not null and not u.is_service and exists (
          select from platform_user_roles ur join platform_roles r on r.id = ur.role_id
          where ur.user_id = u.id and (r.name = 'superadmin' or ${LOOKING_AFTER} = any (r.permissions)))
        order by u.id limit ${MAX_WATCHERS}`
      : sql<Told>`
        select u.id, u.name, u.email from users u
        where u.tenant_id = ${tenantId} and u.deleted_at is null and u.suspended_at is null and u.email_verified_at is not null and not u.is_service
          and (u.is_owner or exists (
            select from user_roles ur join roles r on r.tenant_id = ${tenantId} and r.id = ur.role_id
            where ur.tenant_id = ${tenantId} and ur.user_id = u.id and (r.kind = 'admin' or ${LOOKING_AFTER} = any (r.permissions))))
        order by u.is_owner desc, u.id limit ${MAX_WATCHERS}`
  return (await people.execute(tx)).rows
}
