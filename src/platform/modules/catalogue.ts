/** Module catalogue. Code defines which modules exist; the operator defines their prices and who gets them. */
import { filter, listing } from '#kernel/records/listing.ts'
import { platformResource } from '#kernel/records/platform-resource.ts'
import { AVAILABILITIES, CatalogueModule, STATUSES } from './schema.ts'

/** All modules of the catalogue, in any status. */
export const catalogue = platformResource({
  table: 'modules',
  noun: 'module',
  item: CatalogueModule,
  unique: { modules_key_key: { key: 'The catalogue has a module of this key, perhaps a deleted one.' } },
})

export const catalogueList = listing(catalogue.listed, {
  order: { by: ['key'] },
  search: ['key', 'name', 'description'],
  filters: {
    availability: filter.oneOf('availability', AVAILABILITIES),
    status: filter.oneOf('status', STATUSES),
    category_id: filter.id('category_id'),
  },
})
