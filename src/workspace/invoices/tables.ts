/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Json, Numeric } from '#kernel/database/tables.ts'

export interface InvoiceLines {
  body: string | null
  discount: Numeric
  discount_value: Generated<Numeric>
  id: Generated<number>
  invoice_id: number
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

export interface InvoiceReminders {
  created_at: string
  days: number | null
  email_log_uuid: string | null
  fee: Numeric | null
  id: Generated<number>
  invoice_id: number
  sent_by: number | null
  sent_to: Generated<string[]>
  status: 'listed' | 'no_address' | 'sent'
  subject: string | null
  tenant_id: number
  updated_at: string
}

export interface Invoices {
  amount_credited: Generated<Numeric>
  amount_paid: Generated<Numeric>
  assigned_to: number | null
  balance_due: GeneratedAlways<string>
  balance_key: GeneratedAlways<string | null>
  buyer_reference: string | null
  company_id: number | null
  contact_id: number | null
  contract_id: number | null
  created_at: string
  created_by: number | null
  currency: string
  deleted_at: string | null
  delivery_date: string | null
  delivery_period_end: string | null
  delivery_period_start: string | null
  discount_total: Numeric
  due_date: string | null
  estimate_id: number | null
  exclude_from_reminders: Generated<boolean>
  external_id: string | null
  id: Generated<number>
  is_recurring: Generated<boolean>
  issue_date: string | null
  line_discount_type: Generated<'none' | 'percent' | 'fixed'>
  notes: string | null
  number: string
  number_key: GeneratedAlways<string | null>
  occurrence_on: string | null
  order_reference: string | null
  quotation_id: number | null
  recurrence_anchor_on: string | null
  recurrence_ends_on: string | null
  recurrence_frequency: 'weekly' | 'monthly' | 'quarterly' | 'semi_annually' | 'yearly' | null
  recurrence_next_issue_on: string | null
  recurrence_occurrence: number | null
  recurrence_status: 'pending' | 'active' | 'ended' | null
  recurring_source_invoice_id: number | null
  reseller_id: number | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: Generated<'draft' | 'unpaid' | 'paid' | 'cancelled'>
  subtotal: Numeric
  tax_rounding: 'line' | 'document'
  tax_total: Numeric
  tenant_id: number
  terms_and_conditions: string | null
  title: string
  total: Numeric
  updated_at: string
}

export interface ReminderPlans {
  created_at: string
  id: Generated<number>
  is_active: Generated<boolean>
  listed_at: string | null
  name: string
  revision: Generated<number>
  steps: Json
  tenant_id: number
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    invoice_lines: InvoiceLines
    invoice_reminders: InvoiceReminders
    invoices: Invoices
    reminder_plans: ReminderPlans
  }
}
