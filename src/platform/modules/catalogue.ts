/** Reading the catalogue. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { filter, listing, platformTable } from '#kernel/records/listing.ts'
import { readOne, view } from '#kernel/records/view.ts'
import { choice, money, stamps } from '#kernel/values/fields.ts'

const AVAILABILITIES = ['available', 'in-progress', 'planned'] as const
const STATUSES = ['draft', 'published', 'retired'] as const

export const CatalogueModule = view('modules', 'Module', {
  id: z.int(),
  uuid: z.string(),
  key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  version: z.string(),
  availability: choice(AVAILABILITIES),
  status: choice(STATUSES),
  requires: z.array(z.string()),
  monthly_price: money(),
  yearly_price: money(),
  currency: z.string(),
  is_default_included: z.boolean(),
  is_billable: z.boolean(),
  ...stamps,
})

export const catalogue = listing(platformTable('modules', CatalogueModule), {
  order: { by: ['key'] },
  search: ['key', 'name', 'description'],
  filters: { availability: filter.oneOf('availability', AVAILABILITIES), status: filter.oneOf('status', STATUSES) },
})

export const showModule = (ctx: PlatformCtx, id: number) =>
  readOne(ctx, CatalogueModule, 'modules', sql`modules.id = ${id} and modules.deleted_at is null`, { noun: 'module' })
