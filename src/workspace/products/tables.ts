/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface Products {
  created_at: string
  created_by: number | null
  deleted_at: string | null
  description: string | null
  external_id: string | null
  id: Generated<number>
  is_active: Generated<boolean>
  name: string
  reorder_level: Generated<Numeric>
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  sku: string
  tax_rate: Generated<Numeric>
  tenant_id: number
  track_stock: Generated<boolean>
  unit_price: Generated<Numeric>
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    products: Products
  }
}
