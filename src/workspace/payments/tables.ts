/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface PayLinks {
  created_at: string
  expires_at: string
  id: Generated<number>
  invoice_id: number
  tenant_id: number
  token_hash: Buffer
}

export interface PaymentAllocations {
  amount: Numeric
  id: Generated<number>
  invoice_id: number
  payment_id: number
  tenant_id: number
}

export interface PaymentCheckouts {
  amount: Numeric
  created_at: string
  currency: string
  invoice_id: number | null
  mode: 'sandbox' | 'live'
  next_check_at: string | null
  received: Numeric | null
  reference: string | null
  refunded: Generated<Numeric>
  status: Generated<'open' | 'paid' | 'failed'>
  tenant_id: number
  updated_at: string
  url: string | null
  uuid: Generated<string>
}

export interface PaymentMethods {
  account_holder: string | null
  allow_partial: Generated<boolean>
  bic: string | null
  code: 'bank_transfer' | 'stripe'
  created_at: string
  iban: string | null
  is_enabled: Generated<boolean>
  mode: 'sandbox' | 'live' | null
  sealed: Buffer | null
  tenant_id: number
  updated_at: string
  uuid: Generated<string>
}

export interface Payments {
  allocated_amount: Generated<Numeric>
  amount: Numeric
  checkout_uuid: string | null
  company_id: number | null
  contact_id: number | null
  created_at: string
  created_by: number | null
  currency: string
  deleted_at: string | null
  external_id: string | null
  id: Generated<number>
  method: 'cash' | 'bank_transfer' | 'card' | 'cheque' | 'other'
  number: string
  paid_at: string
  reference: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: Generated<'posted' | 'voided'>
  tenant_id: number
  unallocated_amount: GeneratedAlways<string>
  updated_at: string
  uuid: Generated<string>
  voided_at: string | null
  voided_by: number | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    pay_links: PayLinks
    payment_allocations: PaymentAllocations
    payment_checkouts: PaymentCheckouts
    payment_methods: PaymentMethods
    payments: Payments
  }
}
