/** Catalogue data for other areas. */
export { type PublishedModule, publishedModules } from './published.ts'
export { CatalogueModule } from './schema.ts'
