/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface Assets {
  code: string | null
  created_at: string
  created_by: number | null
  currency: string
  deleted_at: string | null
  description: string | null
  employee_id: number | null
  external_id: string | null
  id: Generated<number>
  location: string | null
  name: string
  purchase_date: string | null
  purchase_price: Numeric | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  serial_number: string | null
  status: Generated<'available' | 'in_use' | 'in_repair' | 'lost' | 'retired'>
  tenant_id: number
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    assets: Assets
  }
}
