import { recordRoutes } from '#kernel/http/record-routes.ts'
import { resellerList, resellers } from './resellers.ts'
import { CreateReseller } from './schema.ts'

export default recordRoutes(resellers, { list: resellerList, body: CreateReseller })
