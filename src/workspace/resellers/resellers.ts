/** Resellers: partners who refer customers, named on invoices. Their commission is used in reports only. */
import { filter, listing } from '#kernel/records/listing.ts'
import { resource } from '#kernel/records/resource.ts'
import { Reseller } from './schema.ts'

export const resellers = resource({ table: 'resellers', module: 'resellers', noun: 'reseller', item: Reseller, tallied: [] })

export const resellerList = listing(resellers, { search: true, filters: { is_active: filter.flag('is_active') } })
