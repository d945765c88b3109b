/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { ColumnType, GeneratedAlways } from 'kysely'

/** May be left out of an insert. */
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>

/** An exact decimal: text when it is read. */
export type Numeric = ColumnType<string, number | string, number | string>

export type Json = boolean | number | string | null | Json[] | { [key: string]: Json | undefined }

export interface AccessRevisions {
  revision: number
  tenant_id: number
}

export interface AccessTokens {
  created_at: string
  expires_at: string
  id: GeneratedAlways<number>
  impersonator_id: number | null
  impersonator_type: 'user' | 'platform_user' | null
  ip: string | null
  last_used_at: string
  name: string
  secret_hash: Buffer
  tenant_id: number | null
  user_agent: string | null
  user_id: number
}

export interface Activities {
  actor_id: number | null
  changed: Json | null
  client: string | null
  created_at: string
  id: Generated<number>
  impersonator_id: number | null
  impersonator_type: 'user' | 'platform_user' | null
  label: string | null
  position: number | null
  properties: Generated<Json>
  subject_id: number
  subject_type: string
  tenant_id: number
  type: string
}

export interface ApiKeys {
  allowed_networks: Generated<string[]>
  created_at: string
  created_by: number
  expires_at: string | null
  former_expires_at: string | null
  former_hash: Buffer | null
  id: GeneratedAlways<number>
  known_networks: Generated<string[]>
  last_used_at: string | null
  last_used_ip: string | null
  name: string
  older_expires_at: string | null
  older_hash: Buffer | null
  prefix: string
  revoked_at: string | null
  scopes: string[]
  secret_hash: Buffer
  tenant_id: number | null
  user_id: number
}

export interface AuditLogs {
  actor_id: number | null
  actor_type: 'user' | 'platform_user' | 'system'
  created_at: string
  event: string
  id: Generated<number>
  impersonator_id: number | null
  impersonator_type: 'user' | 'platform_user' | null
  ip: string | null
  properties: Generated<Json>
  tenant_id: number
}

export interface BulkBatches {
  action: 'update' | 'assign' | 'status' | 'delete' | 'restore'
  changes: Json | null
  collection: string
  created_at: string
  created_by: number | null
  filter: Json | null
  id: Generated<number>
  record_table: string
  run_id: string | null
  tenant_id: number
  undo_run_id: string | null
  undone_at: string | null
  uuid: Generated<string>
}

export interface BulkRows {
  batch_id: number
  before: Json | null
  error: string | null
  record_id: number
  revision: number | null
  tenant_id: number
  undo_error: string | null
  undone: Generated<boolean>
}

export interface EmailAttachments {
  content: Buffer | null
  drawing: Json | null
  email_log_id: number
  id: Generated<number>
  mime: string
  name: string
  tenant_id: number
}

export interface EmailEvents {
  created_at: string
  detail: string | null
  email_log_id: number
  event_key: string
  occurred_at: string
  permanent: Generated<boolean>
  recipient: string | null
  tenant_id: number
  type: 'delivered' | 'deferred' | 'bounced' | 'complained' | 'failed' | 'opened' | 'clicked'
}

export interface EmailLogs {
  bcc: Generated<string[]>
  body_html: string
  body_text: string
  cc: Generated<string[]>
  click_count: Generated<number>
  created_at: string
  deferred_to: Generated<string[]>
  error: string | null
  from_name: string | null
  id: Generated<number>
  is_automatic: Generated<boolean>
  notification_type: string
  open_count: Generated<number>
  provider: string | null
  provider_message_id: string | null
  reply_to: string | null
  sealed: Buffer | null
  sent_at: string | null
  sent_by: number | null
  status: Generated<'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'>
  subject: string
  tenant_id: number
  to: string[]
  unsubscribe_url: string | null
  uuid: Generated<string>
}

export interface IdempotencyKeys {
  body_hash: Buffer
  claim: string | null
  claimed_until: string | null
  created_at: string
  key_hash: Buffer
  reply: Buffer | null
  status: number | null
  tenant_id: number
}

export interface JobDays {
  day: string
  job: string
  tenant_id: number
}

export interface JobRuns {
  created_at: string
  created_by: number | null
  cursor: Json | null
  data: Json
  done: Generated<number>
  error: string | null
  finished_at: string | null
  id: Generated<string>
  impersonator: Json | null
  job: string
  key_id: number | null
  leased_until: string | null
  rescues: Generated<number>
  started_at: string | null
  state: Generated<'waiting' | 'running' | 'completed' | 'failed' | 'cancelled'>
  tenant_id: number
  total: number | null
  turn: Generated<number>
}

export interface JobTimes {
  day: string
  job: string
  time: string
  zone: string
}

export interface ModuleSubscriptions {
  anchor_on: string | null
  billing_cycle: Generated<'monthly' | 'yearly'>
  cancel_at_period_end: Generated<boolean>
  created_at: string
  currency: Generated<string>
  ended_at: string | null
  id: Generated<number>
  module_id: number
  module_key: string
  next_cycle: 'monthly' | 'yearly' | null
  period_end: string | null
  period_start: string | null
  price: Generated<Numeric>
  seeded_version: number | null
  source: 'included' | 'purchased'
  status: 'trialing' | 'active' | 'past_due' | 'cancelled' | 'expired'
  tenant_id: number
  term: Generated<number>
  updated_at: string
}

export interface Modules {
  availability: 'available' | 'in-progress' | 'planned'
  created_at: string
  currency: Generated<string>
  deleted_at: string | null
  description: string | null
  id: Generated<number>
  is_billable: Generated<boolean>
  is_default_included: Generated<boolean>
  key: string
  monthly_price: Generated<Numeric>
  name: string
  requires: Generated<string[]>
  revision: Generated<number>
  set_by_operator: Generated<string[]>
  status: Generated<'draft' | 'published' | 'retired'>
  updated_at: string
  uuid: Generated<string>
  version: string
  yearly_price: Generated<Numeric>
}

export interface Notes {
  body: string
  created_at: string
  created_by: number | null
  id: Generated<number>
  subject_id: number
  subject_type: string
  tenant_id: number
}

export interface NumberCounters {
  kind: string
  last: number
  tenant_id: number
}

export interface OneTimeTokens {
  created_at: string
  expires_at: string
  payload: Generated<Json>
  purpose: string
  secret_hash: Buffer
  tenant_id: number | null
  used_at: string | null
  user_id: number
}

export interface Passkeys {
  counter: number
  created_at: string
  credential_id: string
  id: GeneratedAlways<number>
  last_used_at: string | null
  name: string
  public_key: Buffer
  rp_id: string
  suspended_at: string | null
  tenant_id: number | null
  user_id: number
}

export interface PlatformRoles {
  created_at: string
  id: Generated<number>
  is_protected: Generated<boolean>
  name: string
  permissions: Generated<string[]>
  revision: Generated<number>
  updated_at: string
}

export interface PlatformSettings {
  key: string
  sealed: Buffer | null
  updated_at: string
  value: Json | null
}

export interface PlatformUserRoles {
  role_id: number
  user_id: number
}

export interface PlatformUsers {
  avatar_path: string | null
  created_at: string
  deleted_at: string | null
  description: string | null
  email: string
  email_verified_at: string | null
  id: Generated<number>
  invite_sent_at: string | null
  is_service: Generated<boolean>
  name: string
  password_hash: string | null
  pending_email: string | null
  phone: string | null
  revision: Generated<number>
  suspended_at: string | null
  updated_at: string
  uuid: Generated<string>
}

export interface RateLimits {
  expire: number | null
  key: string
  points: Generated<number>
}

export interface RecordTallies {
  assigned_to: number | null
  id: GeneratedAlways<number>
  kind: string
  n: number
  status: string | null
  tenant_id: number
  trashed: boolean
}

export interface Roles {
  created_at: string
  description: string | null
  id: Generated<number>
  is_protected: Generated<boolean>
  kind: 'owner' | 'admin' | 'member' | null
  name: string
  permissions: Generated<string[]>
  revision: Generated<number>
  tenant_id: number
  updated_at: string
}

export interface SchemaMigrations {
  applied_at: Generated<string>
  checksum: string
  name: string
}

export interface SignInDirectory {
  email: string
  is_verified: Generated<boolean>
  password_hash: string | null
  tenant_id: number
  user_id: number
}

export interface StoredFiles {
  bytes: number | null
  created_at: string
  key: string
  mime: string | null
  sha256: Buffer | null
  state: Generated<'pending' | 'kept' | 'discarded'>
  tenant_id: number
}

export interface TableLayouts {
  layout: 'distributed' | 'reference' | 'citus_local' | 'local'
  name: string
}

export interface Tenants {
  archived_at: string | null
  company_name: string
  country: string | null
  created_at: string
  currency: Generated<string>
  deleted_at: string | null
  email: string
  erasing_since: string | null
  id: Generated<number>
  locale: Generated<string>
  logo_path: string | null
  notes: string | null
  phone: string | null
  revision: Generated<number>
  slug: string
  status: Generated<'active' | 'suspended'>
  storage_allowance_bytes: Generated<number>
  timezone: Generated<string>
  updated_at: string
  uuid: Generated<string>
  workspace_name: string
}

export interface TwoFactors {
  confirmed_at: string | null
  created_at: string
  id: GeneratedAlways<number>
  last_step: Generated<number>
  recovery_codes: Generated<string[]>
  secret: Buffer
  tenant_id: number | null
  user_id: number
  wrong_codes: Generated<number>
  wrong_since: string | null
}

export interface UserRoles {
  role_id: number
  tenant_id: number
  user_id: number
}

export interface Users {
  avatar_path: string | null
  created_at: string
  created_by: number | null
  deleted_at: string | null
  description: string | null
  email: string
  email_verified_at: string | null
  external_id: string | null
  id: Generated<number>
  is_owner: Generated<boolean>
  is_service: Generated<boolean>
  name: string
  password_hash: string | null
  pending_email: string | null
  platform_user_id: number | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  suspended_at: string | null
  tenant_id: number
  updated_at: string
}

export interface WebhookDeliveries {
  attempts: Generated<number>
  body: string
  created_at: string
  delivered_at: string | null
  duration_ms: number | null
  endpoint_id: number
  error: string | null
  event_id: number | null
  id: Generated<number>
  leased_until: string | null
  next_attempt_at: string | null
  response_excerpt: string | null
  response_status: number | null
  status: Generated<'waiting' | 'delivered' | 'failed'>
  tenant_id: number
  type: string
  updated_at: string
}

export interface WebhookEndpoints {
  created_at: string
  description: string | null
  disabled_reason: string | null
  failing_since: string | null
  former_secret: Buffer | null
  former_secret_until: string | null
  id: Generated<number>
  is_active: Generated<boolean>
  key_id: number | null
  older_secret: Buffer | null
  older_secret_until: string | null
  position: number
  revision: Generated<number>
  secret: Buffer
  tenant_id: number
  types: string[]
  updated_at: string
  url: string
  user_id: number
}

export interface WorkspaceSettings {
  key: string
  tenant_id: number
  updated_at: string
  value: Json
}

export interface DB {
  access_revisions: AccessRevisions
  access_tokens: AccessTokens
  activities: Activities
  api_keys: ApiKeys
  audit_logs: AuditLogs
  bulk_batches: BulkBatches
  bulk_rows: BulkRows
  email_attachments: EmailAttachments
  email_events: EmailEvents
  email_logs: EmailLogs
  idempotency_keys: IdempotencyKeys
  job_days: JobDays
  job_runs: JobRuns
  job_times: JobTimes
  module_subscriptions: ModuleSubscriptions
  modules: Modules
  notes: Notes
  number_counters: NumberCounters
  one_time_tokens: OneTimeTokens
  passkeys: Passkeys
  platform_roles: PlatformRoles
  platform_settings: PlatformSettings
  platform_user_roles: PlatformUserRoles
  platform_users: PlatformUsers
  rate_limits: RateLimits
  record_tallies: RecordTallies
  roles: Roles
  schema_migrations: SchemaMigrations
  sign_in_directory: SignInDirectory
  stored_files: StoredFiles
  table_layouts: TableLayouts
  tenants: Tenants
  two_factors: TwoFactors
  user_roles: UserRoles
  users: Users
  webhook_deliveries: WebhookDeliveries
  webhook_endpoints: WebhookEndpoints
  workspace_settings: WorkspaceSettings
}
