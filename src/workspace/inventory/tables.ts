/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface StockLevels {
  created_at: string
  id: Generated<number>
  is_low: GeneratedAlways<boolean>
  name: string
  on_hand: Numeric
  product_id: number
  reorder_level: Numeric
  search_text: GeneratedAlways<string | null>
  sku: string
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
  reference_id: number | null
  reference_line_id: number | null
  reference_number: string | null
  reference_type: string | null
  tenant_id: number
  type: 'in' | 'out' | 'adjust' | 'transfer_out' | 'transfer_in'
  warehouse_id: number
}

export interface StockTransferLines {
  id: Generated<number>
  product_id: number
  quantity: Numeric
  tenant_id: number
  transfer_id: number
}

export interface StockTransfers {
  created_at: string
  created_by: number | null
  deleted_at: string | null
  external_id: string | null
  from_warehouse_id: number
  id: Generated<number>
  notes: string | null
  number: string
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: Generated<'draft' | 'in_transit' | 'completed' | 'cancelled'>
  tenant_id: number
  to_warehouse_id: number
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    stock_levels: StockLevels
    stock_movements: StockMovements
    stock_transfer_lines: StockTransferLines
    stock_transfers: StockTransfers
  }
}
