/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface Companies {
  address: string | null
  assigned_to: number | null
  buyer_reference: string | null
  city: string | null
  country: string | null
  created_at: string
  created_by: number | null
  deleted_at: string | null
  einvoice_address: string | null
  email: string | null
  exclude_from_reminders: Generated<boolean>
  external_id: string | null
  id: Generated<number>
  industry: string | null
  language: string | null
  languages: Generated<string[]>
  name: string
  name_lower: GeneratedAlways<string | null>
  notes: string | null
  phone: string | null
  postcode: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  street: string | null
  tax_id: string | null
  tenant_id: number
  updated_at: string
  vat_id: string | null
  website: string | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    companies: Companies
  }
}
