/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface StockLevels {
  on_hand: Numeric
  product_id: number
  tenant_id: number
  updated_at: string
  warehouse_id: number
}

export interface StockMovements {
  actor_id: number | null
  balance_after: Numeric
  change: Numeric
  created_at: string
  id: Generated<number>
  notes: string | null
  product_id: number
  quantity: GeneratedAlways<string>
  reference_id: number | null
  reference_line_id: number | null
  reference_number: string | null
  reference_type: string | null
  tenant_id: number
  type: 'in' | 'out' | 'adjust' | 'transfer_out' | 'transfer_in'
  warehouse_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    stock_levels: StockLevels
    stock_movements: StockMovements
  }
}
