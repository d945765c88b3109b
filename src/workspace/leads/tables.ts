/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated, Json, Numeric } from '#kernel/database/tables.ts'

export interface LeadAdConnections {
  account_token: Buffer | null
  connected_at: string | null
  connected_by: number | null
  created_at: string
  default_source: string | null
  default_stage_id: number | null
  is_enabled: Generated<boolean>
  tenant_id: number
  updated_at: string
}

export interface LeadAdDeliveries {
  created_at: string
  id: Generated<number>
  lead_id: number | null
  leadgen_id: string
  outcome: Generated<'pending' | 'accepted' | 'failed'>
  page_id: string
  reason: string | null
  tenant_id: number
  updated_at: string
}

export interface LeadAdPages {
  created_at: string
  is_subscribed: Generated<boolean>
  name: string
  page_id: string
  tenant_id: number
  token: Buffer
}

export interface LeadAssignments {
  batch_id: string | null
  changed_by_id: number | null
  created_at: string
  id: Generated<number>
  lead_id: number
  new_user_id: number | null
  old_user_id: number | null
  reason: string | null
  tenant_id: number
}

export interface LeadFollowUps {
  assigned_to: number | null
  completed_at: string | null
  created_at: string
  created_by: number | null
  due_at: string
  id: Generated<number>
  lead_id: number
  lead_tag_id: number | null
  notes: string | null
  revision: Generated<number>
  status: Generated<'pending' | 'completed'>
  tenant_id: number
  title: string
  updated_at: string
}

export interface LeadImportChunks {
  bytes: number
  created_at: string
  import_id: number
  n: number
  rows: Json
  tenant_id: number
}

export interface LeadImportDuplicates {
  import_id: number
  lead_id: number
  tenant_id: number
}

export interface LeadImportFailures {
  cells: Json
  created_at: string
  errors: Json | null
  import_id: number
  reason: string
  row_number: number
  tenant_id: number
}

export interface LeadImportRecords {
  before: Json | null
  follow_up_ids: Generated<number[]>
  import_id: number
  note_ids: Generated<number[]>
  record_id: number
  revision: number
  revision_before: number | null
  row_number: number
  tenant_id: number
  undo_error: string | null
  undone: Generated<boolean>
}

export interface LeadImportUploads {
  leased_until: string
  tenant_id: number
  user_id: number
}

export interface LeadImports {
  assignment_mode: Generated<'none' | 'equal'>
  created_at: string
  created_by: number | null
  day_order: 'dmy' | 'mdy' | 'ymd' | null
  decimal_sign: Generated<'.' | ','>
  duplicate_count: Generated<number>
  duplicate_mode: Generated<'skip' | 'update' | 'keep'>
  error: string | null
  failed_count: Generated<number>
  file_key: string
  file_name: string
  finished_at: string | null
  group_sign: string | null
  header_row: Generated<number>
  headers: string[]
  id: Generated<number>
  imported_count: Generated<number>
  kept_count: Generated<number>
  mapping: Json | null
  mime: string
  processed_rows: Generated<number>
  revision: Generated<number>
  run_by: number | null
  run_id: string | null
  sheet: string | null
  sheets: Generated<string[]>
  skipped_count: Generated<number>
  started_at: string | null
  status: Generated<'uploaded' | 'mapped' | 'queued' | 'processing' | 'completed' | 'failed'>
  tenant_id: number
  total_rows: number
  undo_error: string | null
  undo_run_id: string | null
  undo_status: string | null
  undone_at: string | null
  undone_count: Generated<number>
  unique_fields: Generated<string[]>
  updated_at: string
  updated_count: Generated<number>
  uuid: Generated<string>
}

export interface LeadRecipientTurns {
  tenant_id: number
  turn: Generated<number>
  user_id: number
}

export interface LeadStages {
  created_at: string
  id: Generated<number>
  is_lost: Generated<boolean>
  is_won: Generated<boolean>
  name: string
  revision: Generated<number>
  sort_order: number
  tenant_id: number
  updated_at: string
}

export interface LeadTagLinks {
  lead_id: number
  tag_id: number
  tenant_id: number
}

export interface LeadTags {
  auto_follow_up_days: number | null
  behavior: Generated<'none' | 'auto_follow_up' | 'force_follow_up'>
  color: string | null
  created_at: string
  id: Generated<number>
  is_default: Generated<boolean>
  name: string
  revision: Generated<number>
  slug: string
  sort_order: Generated<number>
  system: 'direct' | 'company' | 'duplicate' | null
  tenant_id: number
  updated_at: string
}

export interface LeadWebhookDeliveries {
  created_at: string
  endpoint_id: number
  errors: Json | null
  id: Generated<number>
  ip: string
  lead_id: number | null
  outcome: 'accepted' | 'refused'
  reason: string | null
  status: number
  tenant_id: number
}

export interface LeadWebhookEndpoints {
  api_key_hash: Buffer
  assign_to_website_recipients: Generated<boolean>
  created_at: string
  default_source: string | null
  default_stage_id: number | null
  field_map: Generated<Json>
  id: Generated<number>
  is_active: Generated<boolean>
  name: string
  revision: Generated<number>
  signing_secret: Buffer
  tenant_id: number
  updated_at: string
  uuid: Generated<string>
}

export interface LeadWebhookSignatures {
  created_at: string
  endpoint_id: number
  signature: string
  tenant_id: number
}

export interface Leads {
  assigned_to: number | null
  batch_id: string | null
  commission_rate: Numeric | null
  company: string | null
  company_id: number | null
  contact_id: number | null
  converted_at: string | null
  created_at: string
  created_by: number | null
  deleted_at: string | null
  email: string | null
  external_id: string | null
  id: Generated<number>
  is_stub: boolean | null
  job_title: string | null
  lead_type: 'direct' | 'company'
  lead_value: Numeric | null
  name: string
  next_follow_up_at: string | null
  opportunity_id: number | null
  phone: string | null
  phone_key: GeneratedAlways<string | null>
  priority: 'low' | 'medium' | 'high' | 'urgent'
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  source: string | null
  stage_id: number
  status: 'active' | 'waiting' | 'on_hold' | 'closed' | 'archived'
  tenant_id: number
  updated_at: string
  won_at: string | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    lead_ad_connections: LeadAdConnections
    lead_ad_deliveries: LeadAdDeliveries
    lead_ad_pages: LeadAdPages
    lead_assignments: LeadAssignments
    lead_follow_ups: LeadFollowUps
    lead_import_chunks: LeadImportChunks
    lead_import_duplicates: LeadImportDuplicates
    lead_import_failures: LeadImportFailures
    lead_import_records: LeadImportRecords
    lead_import_uploads: LeadImportUploads
    lead_imports: LeadImports
    lead_recipient_turns: LeadRecipientTurns
    lead_stages: LeadStages
    lead_tag_links: LeadTagLinks
    lead_tags: LeadTags
    lead_webhook_deliveries: LeadWebhookDeliveries
    lead_webhook_endpoints: LeadWebhookEndpoints
    lead_webhook_signatures: LeadWebhookSignatures
    leads: Leads
  }
}
