import { platform } from '#kernel/http/route.ts'
import { CatalogueModule, catalogue, presentModule, selectModules, showModule } from './catalogue.ts'

export default [
  platform.get('/', { allow: 'modules.list', query: catalogue.query, page: CatalogueModule }, async (ctx, { query }) => {
    const { rows, total } = await catalogue.page(ctx, query, selectModules)
    return { rows: rows.map(presentModule), total }
  }),
  platform.get('/:module', { allow: 'modules.read', reply: CatalogueModule }, (ctx, { module }) => showModule(ctx, module)),
]
