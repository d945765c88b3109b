import { z } from 'zod'
import { Home, homeOf } from '#console/screens/home.ts'
import { Console, Screen } from '#console/screens/screen.ts'
import { SettingGroup, settingsFor } from '#console/screens/settings.ts'
import { consoleOf, screenFor, type Viewer, validated } from '#console/screens/showing.ts'
import type { Ctx } from '#kernel/context.ts'
import { open, workspace } from '#kernel/http/route.ts'
import { missingModule } from '#kernel/tenancy/session.ts'
import { slugOfHost } from '#workspace/branded/public.ts'
import { unreadCount } from '#workspace/notifications/public.ts'

/** Like `GET /me`: for signed-in users, even before their address is verified, and for no key. */
const own = { allow: 'signed-in', unverified: true, noKeys: true, validated: true } as const

/** A module is available if the modules that it requires are installed too. */
const viewerOf = ({ services: { modules }, can, entitled }: Ctx): Viewer => {
  const installed = new Set([...modules.workspace.keys()].filter(entitled))
  return {
    can: can as Viewer['can'],
    entitled: (key) => missingModule(modules.workspace.get(key), installed) === undefined,
  }
}

async function show(ctx: Ctx) {
  const { actor, tenant, services } = ctx
  const { id, slug, name, timezone, currency, locale } = tenant
  const [looks, user, { unread_count }, accent, shown] = await Promise.all([
    ctx.tx.selectFrom('tenants').select('logo_path').where('id', '=', id).executeTakeFirstOrThrow(),
    ctx.from('users').select('avatar_path').where('id', '=', actor.id).executeTakeFirstOrThrow(),
    unreadCount(ctx),
    ctx.setting('document_accent_color'),
    consoleOf(services.modules, 'workspace', viewerOf(ctx)),
  ])
  const url = (path: string | null) => path && services.storage.url(path)
  const data: Console = {
    api: 'workspace',
    user: {
      ...{ id: actor.id!, name: actor.name, email: actor.email, avatar_url: url(user.avatar_path) },
      ...{ role: actor.roles, is_owner: actor.isOwner, impersonated_by: actor.impersonator?.name ?? null },
    },
    workspace: { ...{ id, slug, name, timezone, currency, locale }, accent: accent || null, logo_url: url(looks.logo_path) },
    ...shown,
    unread_notifications: unread_count,
  }
  return validated(data)
}

const Host = z
  .object({
    slug: z
      .string()
      .nullable()
      .meta({ description: 'Slug of the workspace; null: the address is the service’s.', examples: ['nordwind'] }),
  })
  .meta({ id: 'ConsoleHost' })

export default [
  open.get(
    '/host',
    {
      allow: 'anybody',
      reply: Host,
      operation: 'showConsoleHost',
      summary: 'Show whose address was asked',
      description:
        'Answers which workspace the host of the request belongs to: by its slug below the platform’s domain, or by its own verified domain.',
    },
    async (ctx) => ({ slug: (await slugOfHost(ctx)) ?? null }),
  ),
  workspace.get(
    '/',
    {
      ...own,
      reply: Console,
      summary: 'Show what a console begins with',
      description:
        'Answers who is signed in, the workspace, the permissions, the modules that work and the screens that the caller may see. With the `ETag` of an earlier reply as `If-None-Match` it is a 304 while nothing has changed.',
    },
    show,
  ),
  workspace.get(
    '/home',
    {
      ...own,
      reply: Home,
      operation: 'showConsoleHome',
      summary: 'Show what the first screen is made of',
      description:
        'Answers the cards of the dashboard with what their rows hold, and the lists whose records are counted by state; the figures themselves are those of `GET /dashboard` and of each list’s `stats`.',
    },
    async (ctx) => validated(await homeOf(ctx.services.modules, viewerOf(ctx))),
  ),
  workspace.get(
    '/screens/:key',
    {
      ...own,
      reply: Screen,
      summary: 'Show a screen',
      description:
        'Answers all that a client needs to draw the list, the record and the forms of one kind of record: derived from what its routes take and answer. 404 for one that the caller may not see.',
    },
    (ctx, { key }) => screenFor(ctx.services.modules, 'workspace', viewerOf(ctx), key),
  ),
  workspace.get(
    '/settings',
    {
      allow: 'settings.view',
      noKeys: true,
      validated: true,
      reply: z.array(SettingGroup),
      operation: 'showConsoleSettings',
      summary: 'Show what settings there are',
      description:
        'Answers the settings of the workspace as fields of a form, in groups: of what is installed, and those of the owner for the owner alone. Their values are at `GET /settings`.',
    },
    (ctx) =>
      validated(settingsFor(ctx.services.modules, { entitled: viewerOf(ctx).entitled, isOwner: ctx.actor.isOwner === true })),
  ),
]
