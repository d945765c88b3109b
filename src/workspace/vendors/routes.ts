import { recordRoutes } from '#kernel/records/routes.ts'
import { CreateVendor } from './schema.ts'
import { vendorList, vendors } from './vendors.ts'

export default recordRoutes(vendors, { list: vendorList, body: CreateVendor })
