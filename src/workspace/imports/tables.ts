/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated, Json } from '#kernel/database/tables.ts'

export interface ImportChunks {
  bytes: number
  import_id: number
  n: number
  rows: Json
  tenant_id: number
}

export interface ImportFailures {
  cells: Json
  errors: Json
  import_id: number
  row_number: number
  tenant_id: number
}

export interface ImportRecords {
  before: Json | null
  import_id: number
  record_id: number
  revision: number
  revision_before: number | null
  row_number: number
  tenant_id: number
  undo_error: string | null
  undone: Generated<boolean>
}

export interface ImportTemplates {
  created_at: string
  created_by: number
  day_order: 'dmy' | 'mdy' | 'ymd' | null
  decimal_sign: Generated<'.' | ','>
  group_sign: string | null
  header_row: number | null
  id: Generated<number>
  mapping: Json
  module: string
  name: string
  revision: Generated<number>
  sheet: string | null
  tenant_id: number
  updated_at: string
}

export interface Imports {
  created_at: string
  created_by: number
  created_count: Generated<number>
  day_order: 'dmy' | 'mdy' | 'ymd' | null
  decimal_sign: Generated<'.' | ','>
  error: string | null
  failed_count: Generated<number>
  file_key: string
  file_name: string
  finished_at: string | null
  group_sign: string | null
  header_row: Generated<number>
  headers: string[]
  id: Generated<number>
  is_reading: Generated<boolean>
  kept_count: Generated<number>
  mapping: Json | null
  mime: string
  module: string
  processed_rows: Generated<number>
  record_table: string
  revision: Generated<number>
  run_id: string | null
  sheet: string | null
  sheets: Generated<string[]>
  started_at: string | null
  status: Generated<'uploaded' | 'mapped' | 'queued' | 'processing' | 'completed' | 'failed' | 'undoing' | 'undone'>
  tenant_id: number
  total_rows: Generated<number>
  undo_run_id: string | null
  undone_at: string | null
  undone_count: Generated<number>
  updated_at: string
  updated_count: Generated<number>
  uuid: Generated<string>
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    import_chunks: ImportChunks
    import_failures: ImportFailures
    import_records: ImportRecords
    import_templates: ImportTemplates
    imports: Imports
  }
}
