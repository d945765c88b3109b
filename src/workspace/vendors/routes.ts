import { recordRoutes } from '#kernel/http/record-routes.ts'
import { CreateVendor } from './schema.ts'
import { vendorList, vendors } from './vendors.ts'

export default recordRoutes(vendors, { list: vendorList, body: CreateVendor })
