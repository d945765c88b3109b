import { workspace } from '#kernel/http/route.ts'
import { lifeRoutes } from '#kernel/records/routes.ts'
import { createProduct, listProducts, productList, products, showProduct, updateProduct } from './products.ts'
import { CreateProduct, Product, UpdateProduct } from './schema.ts'

const { get, post, put } = workspace

export default [
  get('/', { allow: 'products.view', query: productList.query, page: Product }, (ctx, { query }) => listProducts(ctx, query)),
  post(
    '/',
    { allow: 'products.create', body: CreateProduct, reply: Product, status: 201, message: 'Product created.' },
    (ctx, { body }) => createProduct(ctx, body),
  ),
  get('/:id', { allow: 'products.view', reply: Product }, async (ctx, { id }) => {
    await products.find(ctx, id)
    return showProduct(ctx, id)
  }),
  put(
    '/:id',
    { allow: 'products.update', record: products.lock, body: UpdateProduct, reply: Product, message: 'Product saved.' },
    (ctx, { record, body }) => updateProduct(ctx, record, body),
  ),
  ...lifeRoutes({ of: products, permissions: 'products', show: showProduct, reply: Product }),
]
