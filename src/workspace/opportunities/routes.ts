import { activityRoutes, assignRoute, recordRoutes } from '#kernel/http/record-routes.ts'
import { under } from '#kernel/http/route.ts'
import { opportunityStats } from './figures.ts'
import { createOpportunity, opportunities, opportunityList, updateOpportunity } from './opportunities.ts'
import { CreateOpportunity, UpdateOpportunity } from './schema.ts'
import { stageRoutes } from './stages.ts'

const opportunityRoutes = [
  ...recordRoutes(opportunities, {
    list: opportunityList,
    stats: opportunityStats,
    body: CreateOpportunity,
    changes: UpdateOpportunity,
    create: createOpportunity,
    update: updateOpportunity,
  }),
  ...activityRoutes(opportunities),
  assignRoute(opportunities),
]

export default [...stageRoutes, ...under('/opportunities', opportunityRoutes)]
