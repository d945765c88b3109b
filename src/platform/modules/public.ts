/** What other areas show of the catalogue. */
export { type PublishedModule, publishedModules } from './published.ts'
export { CatalogueModule } from './schema.ts'
