/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface CreditNoteApplications {
  amount: Numeric
  credit_note_id: number
  id: Generated<number>
  invoice_id: number
  tenant_id: number
}

export interface CreditNoteLines {
  body: string | null
  credit_note_id: number
  discount: Numeric
  discount_value: Generated<Numeric>
  id: Generated<number>
  name: string
  net: Numeric
  product_id: number | null
  quantity: Numeric
  sort_order: number
  tax: Numeric
  tax_category: 'S' | 'Z' | 'E' | 'AE' | 'K' | 'G' | 'O' | null
  tax_exemption_reason: string | null
  tax_rate: Numeric
  tenant_id: number
  unit_code: Generated<string>
  unit_price: Numeric
}

export interface CreditNotes {
  amount_applied: Generated<Numeric>
  amount_remaining: GeneratedAlways<string>
  buyer_reference: string | null
  company_id: number | null
  contact_id: number | null
  corrects_invoice_id: number | null
  created_at: string
  created_by: number | null
  currency: string
  deleted_at: string | null
  delivery_date: string | null
  delivery_period_end: string | null
  delivery_period_start: string | null
  discount_total: Numeric
  external_id: string | null
  id: Generated<number>
  issue_date: string | null
  line_discount_type: Generated<'none' | 'percent' | 'fixed'>
  number: string
  order_reference: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: Generated<'draft' | 'issued' | 'voided'>
  subtotal: Numeric
  tax_rounding: 'line' | 'document'
  tax_total: Numeric
  tenant_id: number
  title: string
  total: Numeric
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    credit_note_applications: CreditNoteApplications
    credit_note_lines: CreditNoteLines
    credit_notes: CreditNotes
  }
}
