/** What other areas show of the catalogue. */
export { CatalogueModule } from './schema.ts'
