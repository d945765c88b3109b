/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Json, Numeric } from '#kernel/database/tables.ts'

export interface BillingAccounts {
  anchor_on: string | null
  credit: Generated<Numeric>
  currency: string
  tenant_id: number
}

export interface LedgerCounters {
  kind: string
  last: number
}

export interface LedgerCredits {
  amount: Numeric
  created_at: string
  currency: string
  id: Generated<number>
  invoice_id: number | null
  payment_id: number | null
  reason: 'unused_period' | 'overpaid'
  subscription_id: number | null
  tenant_id: number
}

export interface LedgerInvoices {
  amount_paid: Generated<Numeric>
  balance_due: GeneratedAlways<string>
  created_at: string
  currency: string
  due_at: string
  failing_since: string | null
  failures: Generated<number>
  gateway: string
  id: Generated<number>
  issued_at: string
  mailed_at: string | null
  next_attempt_at: string | null
  number: string
  paid_at: string | null
  status: Generated<'open' | 'paid' | 'uncollectible'>
  subtotal: Numeric
  tax_total: Generated<Numeric>
  tenant_email: string
  tenant_id: number
  tenant_name: string
  total: GeneratedAlways<string>
  updated_at: string
}

export interface LedgerLines {
  amount: Numeric
  billing_cycle: string
  description: string
  id: Generated<number>
  invoice_id: number
  module_id: number
  period_end: string
  period_start: string
  subscription_id: number
  tenant_id: number
  term: number
}

export interface LedgerPayments {
  amount: Numeric
  amount_refunded: Generated<Numeric>
  created_at: string
  currency: string
  failure_code: string | null
  failure_message: string | null
  gateway: string
  id: Generated<number>
  invoice_id: number
  kind: 'charge' | 'checkout' | 'credit'
  mode: 'sandbox' | 'live'
  reference: string | null
  settled_at: string | null
  status: 'pending' | 'succeeded' | 'failed'
  tenant_id: number
  updated_at: string
  url: string | null
  uuid: Generated<string>
}

export interface SubscriptionEvents {
  actor_id: number | null
  created_at: string
  event: string
  id: Generated<number>
  properties: Generated<Json>
  subscription_id: number
  tenant_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    billing_accounts: BillingAccounts
    ledger_counters: LedgerCounters
    ledger_credits: LedgerCredits
    ledger_invoices: LedgerInvoices
    ledger_lines: LedgerLines
    ledger_payments: LedgerPayments
    subscription_events: SubscriptionEvents
  }
}
