import { recordRoutes } from '#kernel/records/routes.ts'
import { resellerList, resellers } from './resellers.ts'
import { CreateReseller } from './schema.ts'

export default recordRoutes(resellers, { list: resellerList, body: CreateReseller })
