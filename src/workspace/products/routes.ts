import { recordRoutes } from '#kernel/records/routes.ts'
import { productList, products } from './products.ts'
import { CreateProduct } from './schema.ts'

export default recordRoutes(products, { list: productList, body: CreateProduct })
