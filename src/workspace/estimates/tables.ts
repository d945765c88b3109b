/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface EstimateLines {
  body: string | null
  discount: Generated<Numeric>
  discount_value: Generated<Numeric>
  estimate_id: number
  id: Generated<number>
  name: string
  net: Numeric
  product_id: number | null
  quantity: Numeric
  sort_order: number
  tax: Numeric
  tax_rate: Numeric
  tenant_id: number
  unit_price: Numeric
}

export interface Estimates {
  assigned_to: number | null
  company_id: number | null
  contact_id: number | null
  converted_invoice_id: number | null
  created_at: string
  created_by: number | null
  currency: string
  decline_reason: string | null
  deleted_at: string | null
  discount_total: Numeric
  external_id: string | null
  id: Generated<number>
  issued_on: string | null
  line_discount_type: Generated<'none' | 'percent' | 'fixed'>
  notes: string | null
  number: string
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: Generated<'draft' | 'sent' | 'accepted' | 'declined' | 'expired'>
  subtotal: Numeric
  tax_rounding: 'line' | 'document'
  tax_total: Numeric
  tenant_id: number
  terms_and_conditions: string | null
  title: string
  total: Numeric
  updated_at: string
  valid_until: string | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    estimate_lines: EstimateLines
    estimates: Estimates
  }
}
