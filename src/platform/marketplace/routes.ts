import { z } from 'zod'
import { platform } from '#kernel/http/route.ts'
import { queryId } from '#kernel/values/fields.ts'
import { CatalogueModule } from '#platform/modules/public.ts'
import { MarketplaceModule, marketplace, showOnSale } from './marketplace.ts'

const ForTenant = z.object({
  tenant_id: z.preprocess((given) => given || undefined, queryId().optional()).describe('The workspace that would pay for it.'),
})

export default [
  platform.get(
    '/modules',
    {
      allow: 'modules.list',
      description: 'Answers a page of the modules that are on sale: published and available.',
      query: marketplace.query,
      page: CatalogueModule,
    },
    (ctx, { query }) => marketplace.page(ctx, query),
  ),
  platform.get(
    '/modules/:module',
    {
      allow: 'modules.read',
      query: ForTenant,
      description: 'Answers one module that is on sale, with what a workspace would pay for it.',
      reply: MarketplaceModule,
    },
    (ctx, { module, query }) => showOnSale(ctx, module, query.tenant_id),
  ),
]
