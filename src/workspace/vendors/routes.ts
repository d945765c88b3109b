import { workspace } from '#kernel/http/route.ts'
import { lifeRoutes } from '#kernel/records/routes.ts'
import { CreateVendor, UpdateVendor, Vendor } from './schema.ts'
import { createVendor, selectVendors, showVendor, updateVendor, vendorList, vendors } from './vendors.ts'

const { get, post, put } = workspace

export default [
  get('/', { allow: 'vendors.view', query: vendorList.query, page: Vendor }, (ctx, { query }) =>
    vendorList.page(ctx, query, selectVendors),
  ),
  post(
    '/',
    { allow: 'vendors.create', body: CreateVendor, reply: Vendor, status: 201, message: 'Vendor created.' },
    (ctx, { body }) => createVendor(ctx, body),
  ),
  get('/:id', { allow: 'vendors.view', reply: Vendor }, async (ctx, { id }) => {
    await vendors.find(ctx, id)
    return showVendor(ctx, id)
  }),
  put(
    '/:id',
    { allow: 'vendors.update', record: vendors.lock, body: UpdateVendor, reply: Vendor, message: 'Vendor saved.' },
    (ctx, { record, body }) => updateVendor(ctx, record, body),
  ),
  ...lifeRoutes({ of: vendors, permissions: 'vendors', show: showVendor, reply: Vendor }),
]
