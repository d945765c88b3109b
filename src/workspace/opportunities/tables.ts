/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Numeric } from '#kernel/database/tables.ts'

export interface Opportunities {
  amount: Numeric | null
  assigned_to: number | null
  company_id: number | null
  contact_id: number | null
  created_at: string
  created_by: number | null
  currency: string
  deleted_at: string | null
  expected_close_date: string | null
  external_id: string | null
  id: Generated<number>
  name: string
  notes: string | null
  probability: Numeric | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  stage_id: number
  tenant_id: number
  updated_at: string
}

export interface OpportunityStages {
  created_at: string
  id: Generated<number>
  is_lost: Generated<boolean>
  is_won: Generated<boolean>
  name: string
  revision: Generated<number>
  sort_order: Generated<number>
  tenant_id: number
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    opportunities: Opportunities
    opportunity_stages: OpportunityStages
  }
}
