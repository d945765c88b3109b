/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface BankCsvMappings {
  account: string | null
  account_column: string | null
  amount_column: string | null
  bank_reference_column: string | null
  booked_on_column: string
  counterparty_iban_column: string | null
  counterparty_name_column: string | null
  created_at: string
  credit_column: string | null
  currency: string | null
  currency_column: string | null
  date_order: 'dmy' | 'mdy' | 'ymd'
  debit_column: string | null
  decimal_sign: 'comma' | 'point'
  delimiter: 'semicolon' | 'comma' | 'tab' | 'pipe'
  encoding: 'auto' | 'utf-8' | 'windows-1252' | 'iso-8859-15' | 'utf-16'
  end_to_end_id_column: string | null
  further_remittance_column: string | null
  header_row: number
  id: Generated<number>
  name: string
  remittance_column: string | null
  revision: Generated<number>
  sign_column: string | null
  tenant_id: number
  updated_at: string
  value_date_column: string | null
}

export interface BankStatements {
  account: string
  account_holder: string | null
  closing_balance: Numeric | null
  created_at: string
  created_by: number | null
  currency: string
  entries: number
  file_name: string
  format: Generated<'camt.053' | 'camt.052' | 'camt.054' | 'mt940' | 'csv'>
  from_date: string | null
  id: Generated<number>
  new_entries: number
  opening_balance: Numeric | null
  pending_entries: number
  reference: string
  sequence: string | null
  sha256: string
  tenant_id: number
  to_date: string | null
  updated_at: string
}

export interface BankTransactions {
  amount: Numeric
  bank_charges: Numeric | null
  bank_reference: string | null
  bank_statement_id: number
  booked_on: string
  counterparty_iban: string | null
  counterparty_name: string | null
  created_at: string
  creditor_reference: string | null
  currency: string
  end_to_end_id: string | null
  entry_amount: Numeric | null
  entry_index: number | null
  entry_reference: string | null
  fingerprint: string
  further_statement_ids: Generated<number[]>
  id: Generated<number>
  instructed_amount: Numeric | null
  instructed_currency: string | null
  is_reversal: boolean
  payment_id: number | null
  remittance: string | null
  return_information: string | null
  return_reason: string | null
  returned_payment_id: number | null
  status: 'open' | 'matched' | 'ignored' | 'outgoing'
  tenant_id: number
  updated_at: string
  value_date: string | null
}

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
  is_underway: Generated<boolean>
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
    bank_csv_mappings: BankCsvMappings
    bank_statements: BankStatements
    bank_transactions: BankTransactions
    pay_links: PayLinks
    payment_allocations: PaymentAllocations
    payment_checkouts: PaymentCheckouts
    payment_methods: PaymentMethods
    payments: Payments
  }
}
