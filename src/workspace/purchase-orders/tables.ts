/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface PurchaseOrderLines {
  description: string
  id: Generated<number>
  net: Numeric
  product_id: number | null
  purchase_order_id: number
  quantity: Numeric
  sort_order: number
  tax: Numeric
  tax_rate: Numeric
  tenant_id: number
  unit_price: Numeric
}

export interface PurchaseOrders {
  assigned_to: number | null
  converted_expense_id: number | null
  created_at: string
  created_by: number | null
  currency: string
  deleted_at: string | null
  expected_date: string | null
  external_id: string | null
  id: Generated<number>
  notes: string | null
  number: string
  order_date: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  sent_at: string | null
  status: Generated<'draft' | 'sent' | 'partially_received' | 'received' | 'cancelled'>
  subtotal: Numeric
  tax_rounding: 'line' | 'document'
  tax_total: Numeric
  tenant_id: number
  title: string
  total: Numeric
  updated_at: string
  vendor_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    purchase_order_lines: PurchaseOrderLines
    purchase_orders: PurchaseOrders
  }
}
