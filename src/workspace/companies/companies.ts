/** Companies: users who may not assign see only their own. Several may have the same name. */
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { Company, CompanyDetail } from './schema.ts'

export const companies = resource({
  table: 'companies',
  module: 'companies',
  noun: 'company',
  item: Company,
  detail: CompanyDetail,
  assign: 'companies.assign',
  tallied: ['assigned_to'],
})

export const companyList = listing(companies, {
  search: true,
  filters: { assigned_to: filter.assignee(), my_companies: filter.mine() },
})

export const companyStats = statsOf('CompanyStats', companyList, { total: 'total_companies', mine: 'my_companies' })
