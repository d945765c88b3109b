import { platform } from '#kernel/http/route.ts'
import { CatalogueModule, catalogue, showModule } from './catalogue.ts'

export default [
  platform.get('/', { allow: 'modules.list', query: catalogue.query, page: CatalogueModule }, (ctx, { query }) =>
    catalogue.page(ctx, query),
  ),
  platform.get('/:module', { allow: 'modules.read', reply: CatalogueModule }, (ctx, { module }) => showModule(ctx, module)),
]
