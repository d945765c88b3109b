import { activityRoutes, assignRoute, recordRoutes } from '#kernel/http/record-routes.ts'
import { companies, companyList, companyStats } from './companies.ts'
import { CreateCompany } from './schema.ts'

export default [
  ...recordRoutes(companies, { list: companyList, stats: companyStats, body: CreateCompany }),
  ...activityRoutes(companies),
  assignRoute(companies),
]
