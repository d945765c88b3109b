import { activityRoutes, recordRoutes, statusRoute } from '#kernel/http/record-routes.ts'
import { assetList, assetStats, assets, create, update } from './assets.ts'
import { lifecycle } from './lifecycle.ts'
import { CreateAsset, UpdateAsset } from './schema.ts'

export default [
  ...recordRoutes(assets, { list: assetList, stats: assetStats, body: CreateAsset, changes: UpdateAsset, create, update }),
  ...activityRoutes(assets),
  statusRoute(assets, lifecycle),
]
