/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Json, Numeric } from '#kernel/database/tables.ts'

export interface IncomingInvoices {
  amount_due: Numeric
  created_at: string
  created_by: number | null
  currency: string
  data: Json
  deleted_at: string | null
  due_date: string | null
  expense_id: number | null
  external_id: string | null
  file_key: string
  file_name: string
  final_invoice_id: number | null
  format: 'ubl' | 'cii' | 'pdf'
  id: Generated<number>
  is_valid: boolean
  issue_date: string
  kind: 'invoice' | 'credit_note'
  notices: Generated<Json>
  number: string
  problems: Generated<Json>
  purchase_order_id: number | null
  rejection_reason: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  seller_key: string
  seller_name: string
  sha256: string
  size_bytes: number
  status: Generated<'received' | 'booked' | 'closed' | 'rejected'>
  tax_total: Numeric
  tenant_id: number
  total: Numeric
  updated_at: string
  vendor_id: number | null
  vendor_matched_by: 'tax_id' | 'name' | 'user' | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    incoming_invoices: IncomingInvoices
  }
}
