/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface ExpenseCategories {
  created_at: string
  id: Generated<number>
  is_active: Generated<boolean>
  is_other: Generated<boolean>
  name: string
  revision: Generated<number>
  sort_order: Generated<number>
  tenant_id: number
  updated_at: string
}

export interface Expenses {
  amount: Numeric
  assigned_to: number | null
  category_id: number
  created_at: string
  created_by: number | null
  currency: string
  deleted_at: string | null
  deposit_amount: Generated<Numeric>
  expense_date: string
  external_id: string | null
  id: Generated<number>
  is_superseded: Generated<boolean>
  notes: string | null
  prepaid_amount: Generated<Numeric>
  purchase_order_id: number | null
  revision: Generated<number>
  rounding_amount: Generated<Numeric>
  search_text: GeneratedAlways<string | null>
  status: Generated<'draft' | 'approved' | 'paid'>
  tax_amount: Generated<Numeric>
  tenant_id: number
  third_party_amount: Generated<Numeric>
  title: string
  updated_at: string
  vendor_id: number | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    expense_categories: ExpenseCategories
    expenses: Expenses
  }
}
