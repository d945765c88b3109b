/** Figures of CEN-54. */
import { z } from 'zod'
import type { BaseCtx } from '#kernel/context.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { LIVE } from '#kernel/modules/subscriptions.ts'
import { uptimePercent } from './uptime.ts'

export const Stats = z
  .object({
    workspaces: z.int().meta({ description: 'How many workspaces there are.', examples: [120] }),
    module_installations: z
      .int()
      .meta({ description: 'How many modules are installed in all of them together.', examples: [840] }),
    published_modules: z.int().meta({ description: 'How many modules are on sale.', examples: [22] }),
    uptime_percent: z
      .number()
      .meta({ minimum: 0, maximum: 100, description: 'How much of the last 30 days the service was there.', examples: [99.98] }),
    currency: z.string(),
  })
  .meta({ id: 'PublicStats' })

/** Counts workspaces that aren't archived, their installed modules, and public catalogue entries. */
async function readStats(ctx: BaseCtx): Promise<z.input<typeof Stats>> {
  const { tx } = ctx
  const [figures, uptime_percent, currency] = await Promise.all([
    tx
      .selectNoFrom((eb) => [
        eb
          .selectFrom('tenants')
          .select(eb.fn.countAll<number>().as('n'))
          .where('deleted_at', 'is', null)
          .where('archived_at', 'is', null)
          .as('workspaces'),
        eb
          .selectFrom('module_subscriptions as s')
          .innerJoin('tenants as t', 't.id', 's.tenant_id')
          .select(eb.fn.countAll<number>().as('n'))
          .where('s.status', 'in', LIVE)
          .where('t.deleted_at', 'is', null)
          .where('t.archived_at', 'is', null)
          .as('module_installations'),
        eb
          .selectFrom('modules')
          .select(eb.fn.countAll<number>().as('n'))
          .where('status', '=', 'published')
          .where('deleted_at', 'is', null)
          .as('published_modules'),
      ])
      .executeTakeFirstOrThrow(),
    uptimePercent(ctx),
    platformSetting(ctx, 'currency'),
  ])
  const { workspaces, module_installations, published_modules } = figures
  return {
    workspaces: workspaces!,
    module_installations: module_installations!,
    published_modules: published_modules!,
    uptime_percent,
    currency,
  }
}

const reading = new WeakMap<object, Promise<z.input<typeof Stats>>>()

/** Returns the current figures. Concurrent requests in a process share one query. */
export function statsNow(ctx: BaseCtx): Promise<z.input<typeof Stats>> {
  const { database } = ctx.services
  const under = reading.get(database)
  if (under) return under
  const read = readStats(ctx).finally(() => reading.delete(database))
  reading.set(database, read)
  return read
}
