/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface DocumentCategories {
  created_at: string
  created_by: number | null
  deleted_at: string | null
  external_id: string | null
  id: Generated<number>
  is_active: Generated<boolean>
  name: string
  revision: Generated<number>
  slug: string
  sort_order: Generated<number>
  tenant_id: number
  updated_at: string
}

export interface DocumentLinks {
  document_id: number
  id: Generated<number>
  subject_id: number
  tenant_id: number
  type: 'lead' | 'contact' | 'company' | 'project' | 'employee' | 'asset' | 'task'
}

export interface Documents {
  category_id: number | null
  created_at: string
  created_by: number | null
  deleted_at: string | null
  description: string | null
  external_id: string | null
  file_key: string
  id: Generated<number>
  mime: string
  original_name: string
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  size_bytes: number
  status: GeneratedAlways<string | null>
  tenant_id: number
  title: string
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    document_categories: DocumentCategories
    document_links: DocumentLinks
    documents: Documents
  }
}
