/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface ProjectMembers {
  id: Generated<number>
  project_id: number
  tenant_id: number
  user_id: number
}

export interface Projects {
  assigned_to: number | null
  company_id: number | null
  contact_id: number | null
  created_at: string
  created_by: number | null
  deleted_at: string | null
  description: string | null
  ends_on: string | null
  external_id: string | null
  id: Generated<number>
  opportunity_id: number | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  starts_on: string | null
  status: Generated<'planned' | 'active' | 'on_hold' | 'completed' | 'cancelled'>
  tenant_id: number
  title: string
  updated_at: string
  uuid: Generated<string>
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    project_members: ProjectMembers
    projects: Projects
  }
}
