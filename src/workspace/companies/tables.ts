/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface Companies {
  address: string | null
  assigned_to: number | null
  created_at: string
  created_by: number | null
  deleted_at: string | null
  email: string | null
  external_id: string | null
  id: Generated<number>
  industry: string | null
  name: string
  name_lower: GeneratedAlways<string | null>
  notes: string | null
  phone: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  tax_id: string | null
  tenant_id: number
  updated_at: string
  website: string | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    companies: Companies
  }
}
