/** Public catalogue of the website (CEN-55), cached by each process until the catalogue changes. */
import { z } from 'zod'
import type { BaseCtx, Services } from '#kernel/context.ts'
import { platformSetting } from '#kernel/modules/platform-settings.ts'
import { choice, money } from '#kernel/values/fields.ts'
import { type PublishedModule, publishedModules } from '#platform/modules/public.ts'

export const PublicModules = z
  .object({
    currency: z.string(),
    modules: z
      .array(
        z.object({
          key: z.string(),
          name: z.string(),
          description: z.string().nullable(),
          version: z.string(),
          category: z
            .string()
            .nullable()
            .meta({ description: 'Under what the catalogue shows it; null: nothing.', examples: ['Finance'] }),
          availability: choice(['available', 'in-progress', 'planned']).describe('Whether there is code for it yet.'),
          pricing: choice(['included', 'free', 'paid']).describe('Whether every workspace has it, it is free, or it is bought.'),
          monthly_price: money().meta({ description: 'Net price of a month.', examples: [9] }),
          yearly_price: money().meta({ description: 'Net price of a year.', examples: [90] }),
          currency: z.string(),
          requires: z
            .array(z.string())
            .meta({ description: 'Keys of the modules that must be installed before.', examples: [['fleet']] }),
        }),
      )
      .describe('The modules that are on sale.'),
  })
  .meta({ id: 'PublicModules' })

/** Maximum age of the cache, in case a message is lost. */
const SECONDS = 60

const remembered = new WeakMap<object, { until: number; modules: Promise<PublishedModule[]> }>()

/** Clears this process's cache. */
export const forgetModules = ({ database }: Services) => void remembered.delete(database)

/** Returns the modules on sale, cached for a minute. */
export async function modulesNow(ctx: BaseCtx): Promise<z.input<typeof PublicModules>> {
  return { currency: await platformSetting(ctx, 'currency'), modules: await published(ctx) }
}

function published(ctx: BaseCtx) {
  const { database } = ctx.services
  const now = Date.parse(ctx.now)
  const known = remembered.get(database)
  if (known && now < known.until) return known.modules
  const modules = publishedModules(ctx)
  remembered.set(database, { until: now + SECONDS * 1000, modules })
  modules.catch(() => forgetModules(ctx.services))
  return modules
}
