/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface Tasks {
  assigned_to: number | null
  created_at: string
  created_by: number | null
  deleted_at: string | null
  description: string | null
  due_on: string | null
  external_id: string | null
  id: Generated<number>
  project_id: number | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: Generated<'todo' | 'in_progress' | 'done' | 'cancelled'>
  tenant_id: number
  title: string
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    tasks: Tasks
  }
}
