import { z } from 'zod'
import { Console, Screen } from '#console/screens/screen.ts'
import { platformSettingGroups, SettingGroup } from '#console/screens/settings.ts'
import { consoleOf, screenFor, type Viewer, validated } from '#console/screens/showing.ts'
import type { PlatformCtx } from '#kernel/context.ts'
import { platform } from '#kernel/http/route.ts'

/** Access as for `GET /me`: every signed-in user, but no API key. */
const own = { allow: 'signed-in', noKeys: true, validated: true } as const

const viewerOf = ({ can }: PlatformCtx): Viewer => ({ can: can as Viewer['can'], entitled: () => true })

async function show(ctx: PlatformCtx) {
  const { actor, services } = ctx
  const [user, shown] = await Promise.all([
    ctx.tx.selectFrom('platform_users').select('avatar_path').where('id', '=', actor.id).executeTakeFirstOrThrow(),
    consoleOf(services.modules, 'platform', viewerOf(ctx)),
  ])
  const data: Console = {
    api: 'platform',
    user: {
      ...{ id: actor.id!, name: actor.name, email: actor.email },
      avatar_url: user.avatar_path && services.storage.url(user.avatar_path),
      ...{ role: actor.roles, is_owner: false, impersonated_by: null },
    },
    workspace: null,
    ...shown,
    unread_notifications: null,
  }
  return validated(data)
}

export default [
  platform.get(
    '/',
    {
      ...own,
      reply: Console,
      summary: 'Show what a console begins with',
      description:
        'Answers who is signed in, the permissions, the areas and the screens that the caller may see. With the `ETag` of an earlier reply as `If-None-Match` it is a 304 while nothing has changed.',
    },
    show,
  ),
  platform.get(
    '/screens/:key',
    {
      ...own,
      reply: Screen,
      summary: 'Show a screen',
      description:
        'Answers all that a client needs to draw the list, the record and the forms of one kind of record: derived from what its routes take and answer. 404 for one that the caller may not see.',
    },
    (ctx, { key }) => screenFor(ctx.services.modules, 'platform', viewerOf(ctx), key),
  ),
  platform.get(
    '/settings',
    {
      allow: 'system-settings.list',
      noKeys: true,
      validated: true,
      reply: z.array(SettingGroup),
      operation: 'showConsoleSettings',
      summary: 'Show what settings there are',
      description:
        'Answers the settings of the platform as fields of a form, in their groups. Their values are at `GET /system-settings`.',
    },
    async () => validated(platformSettingGroups()),
  ),
]
