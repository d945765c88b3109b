/** Vendors: the smallest complete module. Actions come from the kernel; only table and columns are its own. */
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { Vendor } from './schema.ts'

export const vendors = resource({ table: 'vendors', module: 'vendors', noun: 'vendor', item: Vendor, tallied: [] })

export const vendorList = listing(vendors, { search: true, filters: { is_active: filter.flag('is_active') } })
