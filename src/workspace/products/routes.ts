import { recordRoutes } from '#kernel/http/record-routes.ts'
import { productList, products, refuseDeletion, removeProduct, updateProduct } from './products.ts'
import { CreateProduct } from './schema.ts'

export default recordRoutes(products, {
  list: productList,
  body: CreateProduct,
  update: updateProduct,
  remove: removeProduct,
  guards: { remove: refuseDeletion },
})
