/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface BrandedDomains {
  claimed_at: string
  created_at: string
  domain: string
  failing_since: string | null
  hosting_status: Generated<'dns_pending' | 'ssl_pending' | 'active'>
  id: Generated<number>
  next_check_at: string | null
  revision: Generated<number>
  ssl_provisioned_at: string | null
  tenant_id: number
  token: string
  updated_at: string
  verified_at: string | null
}

export interface BrandedHosts {
  host: string
  tenant_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    branded_domains: BrandedDomains
    branded_hosts: BrandedHosts
  }
}
