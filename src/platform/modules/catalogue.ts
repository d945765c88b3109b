/** Reading the catalogue. */
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { instant } from '#kernel/values/fields.ts'
import { toNumber } from '#kernel/values/money.ts'

export const CatalogueModule = z
  .object({
    id: z.int(),
    uuid: z.string(),
    key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    version: z.string(),
    availability: z.enum(['available', 'in-progress', 'planned']),
    status: z.enum(['draft', 'published', 'retired']),
    requires: z.array(z.string()),
    monthly_price: z.number(),
    yearly_price: z.number(),
    currency: z.string(),
    is_default_included: z.boolean(),
    is_billable: z.boolean(),
    created_at: instant(),
    updated_at: instant(),
    deleted_at: instant().nullable(),
  })
  .meta({ id: 'Module' })

export const catalogue = listing(platformTable('modules'), {
  sorts: ['key', 'name', 'created_at', 'updated_at'],
  defaultSort: 'key',
  defaultDirection: 'asc',
  search: ['key', 'name', 'description'],
  filters: {
    availability: filter.oneOf('availability', ['available', 'in-progress', 'planned']),
    status: filter.oneOf('status', ['draft', 'published', 'retired']),
  },
})

export const selectModules = (ctx: PlatformCtx) => ctx.tx.selectFrom('modules').selectAll('modules')

type Stored = Awaited<ReturnType<ReturnType<typeof selectModules>['executeTakeFirstOrThrow']>>

export const presentModule = (module: Stored) =>
  ({ ...module, monthly_price: toNumber(module.monthly_price), yearly_price: toNumber(module.yearly_price) }) as z.input<
    typeof CatalogueModule
  >

export async function showModule(ctx: PlatformCtx, id: number) {
  const module = await selectModules(ctx).where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst()
  if (!module) throw notFound('There is no such module.')
  return presentModule(module)
}
