/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface Warehouses {
  address: string | null
  code: string
  created_at: string
  created_by: number | null
  deleted_at: string | null
  external_id: string | null
  id: Generated<number>
  is_active: Generated<boolean>
  is_default: Generated<boolean>
  name: string
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  tenant_id: number
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    warehouses: Warehouses
  }
}
