/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface Contracts {
  assigned_to: number | null
  body: string | null
  company_id: number | null
  contact_id: number | null
  converted_invoice_id: number | null
  created_at: string
  created_by: number | null
  currency: string
  deleted_at: string | null
  ends_on: string | null
  external_id: string | null
  id: Generated<number>
  issued_on: string | null
  number: string
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  starts_on: string | null
  status: Generated<'draft' | 'sent' | 'active' | 'expired' | 'terminated'>
  tenant_id: number
  title: string
  updated_at: string
  value: Numeric | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    contracts: Contracts
  }
}
