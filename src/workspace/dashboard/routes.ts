import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { workspace } from '#kernel/http/route.ts'
import { isEntitled } from '#kernel/modules/subscriptions.ts'
import { WidgetCard } from '#kernel/records/widget.ts'

const Dashboard = z.object({ widgets: z.array(WidgetCard).describe('One for each figure or list; `key` says which.') })

export default [
  workspace.get(
    '/',
    {
      allow: 'signed-in',
      description:
        'Answers the figures of the start page: a widget for each that the caller’s permissions and the installed modules allow.',
      reply: Dashboard,
    },
    dashboard,
  ),
]

/**
 * Returns each widget whose module is installed and whose permission the actor has; its queries are limited to records that the
 * actor sees.
 */
async function dashboard(ctx: Ctx) {
  const offered = (await ctx.services.modules.widgets()).flatMap(({ module, widgets }) =>
    widgets.filter((widget) => isEntitled(ctx, module) && ctx.can(widget.allow)),
  )
  const widgets = offered.map(async ({ key, title, data }) => ({ key, title, data: await data(ctx) }))
  return { widgets: await Promise.all(widgets) }
}
