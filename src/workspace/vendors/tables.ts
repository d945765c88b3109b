/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface Vendors {
  address: string | null
  created_at: string
  created_by: number | null
  deleted_at: string | null
  email: string | null
  external_id: string | null
  id: Generated<number>
  is_active: Generated<boolean>
  name: string
  notes: string | null
  phone: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  tax_id: string | null
  tax_key: GeneratedAlways<string | null>
  tenant_id: number
  updated_at: string
  website: string | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    vendors: Vendors
  }
}
