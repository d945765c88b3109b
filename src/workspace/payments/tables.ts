/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface PaymentAllocations {
  amount: Numeric
  id: Generated<number>
  invoice_id: number
  payment_id: number
  tenant_id: number
}

export interface Payments {
  allocated_amount: Generated<Numeric>
  amount: Numeric
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
    payment_allocations: PaymentAllocations
    payments: Payments
  }
}
