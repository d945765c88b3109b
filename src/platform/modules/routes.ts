import { platform } from '#kernel/http/route.ts'
import { catalogue, catalogueList } from './catalogue.ts'
import { addModule, type CatalogueRow, changeModule, forceModule, removeModule, restoreModule } from './editing.ts'
import { CatalogueModule, ChangeModule, CreateModule } from './schema.ts'

const { get, post, put, patch, del } = platform

const change = {
  allow: 'modules.update',
  record: catalogue.lock,
  body: ChangeModule,
  reply: CatalogueModule,
  message: 'Module saved.',
} as const

export default [
  get('/', { allow: 'modules.list', query: catalogueList.query, page: CatalogueModule }, (ctx, { query }) =>
    catalogueList.page(ctx, query),
  ),
  post(
    '/',
    { allow: 'modules.create', body: CreateModule, reply: CatalogueModule, status: 201, message: 'Module created.' },
    async (ctx, { body }) => catalogue.shown(ctx, (await addModule(ctx, body)).id),
  ),
  get('/:module', { allow: 'modules.read', reply: CatalogueModule }, (ctx, { module }) => catalogue.show(ctx, module)),
  ...[put, patch].map((method) =>
    method('/:module', change, async (ctx, { record, body }) => {
      await changeModule(ctx, record as CatalogueRow, body)
      return catalogue.shown(ctx, record.id)
    }),
  ),
  del(
    '/:module',
    {
      allow: 'modules.delete',
      record: catalogue.lock,
      message: 'Module deleted.',
      description:
        'Moves the module to the trash: it can’t be installed any more. 422 while workspaces have it, and for modules that every workspace gets.',
    },
    (ctx, { record }) => removeModule(ctx, record),
  ),
  post(
    '/:module/restore',
    { allow: 'modules.restore', record: catalogue.lockAny, reply: CatalogueModule, message: 'Module restored.' },
    async (ctx, { record }) => {
      await restoreModule(ctx, record)
      return catalogue.shown(ctx, record.id)
    },
  ),
  del(
    '/:module/force',
    { allow: 'modules.force.delete', record: catalogue.lockAny, message: 'Module deleted for good.' },
    (ctx, { record }) => forceModule(ctx, record),
  ),
]
