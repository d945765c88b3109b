/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated, Json } from '#kernel/database/tables.ts'

export interface EmailAccounts {
  created_at: string
  email_address: string
  from_name: string | null
  id: Generated<number>
  imap_encryption: 'ssl' | 'starttls' | 'none'
  imap_host: string
  imap_password: Buffer
  imap_port: number
  imap_username: string
  is_default: Generated<boolean>
  last_error: string | null
  last_synced_at: string | null
  looked_at: string | null
  next_sync_at: string
  removed_at: string | null
  revision: Generated<number>
  send_leased_until: string | null
  send_slow: Generated<boolean>
  smtp_encryption: 'ssl' | 'starttls' | 'none'
  smtp_host: string
  smtp_password: Buffer
  smtp_port: number
  smtp_username: string
  sync_failures: Generated<number>
  sync_interval_minutes: Generated<number>
  sync_leased_until: string | null
  sync_slow: Generated<boolean>
  sync_turn: Generated<number>
  sync_wanted_at: string | null
  tenant_id: number
  updated_at: string
  user_id: number
  uuid: Generated<string>
  watched_until: string | null
  watcher: string | null
}

export interface EmailFolders {
  account_id: number
  compared_at: string | null
  created_at: string
  highest_modseq: number | null
  id: Generated<number>
  last_uid: Generated<number>
  name: string
  remote_path: string | null
  revision: Generated<number>
  server_total: Generated<number>
  server_unread: Generated<number>
  tenant_id: number
  type: 'inbox' | 'drafts' | 'sent' | 'archive' | 'junk' | 'trash' | 'all' | 'custom'
  uid_validity: number | null
  updated_at: string
  uuid: Generated<string>
}

export interface EmailLabels {
  account_id: number
  color: string | null
  created_at: string
  id: Generated<number>
  name: string
  revision: Generated<number>
  sort_order: Generated<number>
  tenant_id: number
  updated_at: string
  uuid: Generated<string>
}

export interface EmailMessageFiles {
  account_id: number
  created_at: string
  file_key: string
  id: Generated<number>
  message_id: number
  mime: string
  name: string
  size_bytes: number
  tenant_id: number
}

export interface EmailMessageLabels {
  label_id: number
  message_id: number
  tenant_id: number
}

export interface EmailMessageLinks {
  created_at: string
  linkable_id: number
  linkable_type: 'lead' | 'contact' | 'company' | 'opportunity'
  message_id: number
  tenant_id: number
}

export interface EmailMessages {
  account_id: number
  append_pending: Generated<boolean>
  attachments: Generated<Json>
  bcc: Generated<Json>
  body_html: string | null
  body_parts: Generated<Json>
  body_text: string | null
  cc: Generated<Json>
  created_at: string
  date: string
  error: string | null
  flags_pending: Generated<boolean>
  folder_id: number
  forwards: string | null
  from: Json | null
  id: Generated<number>
  in_reply_to: string | null
  is_answered: Generated<boolean>
  is_forwarded: Generated<boolean>
  is_missing: Generated<boolean>
  is_read: Generated<boolean>
  is_starred: Generated<boolean>
  message_id: string
  reference_ids: Generated<string[]>
  rejected: Generated<Json>
  remote_folder_id: number | null
  reply_to: Generated<Json>
  revision: Generated<number>
  send_waits_since: string | null
  size_bytes: Generated<number>
  snippet: Generated<string>
  status: 'received' | 'draft' | 'queued' | 'sending' | 'sent' | 'failed'
  subject: Generated<string>
  tenant_id: number
  thread_key: string
  to: Generated<Json>
  uid: number | null
  updated_at: string
  uuid: Generated<string>
}

export interface EmailQuarantine {
  created_at: string
  folder_id: number
  reason: string
  tenant_id: number
  uid: number
}

export interface EmailSignatures {
  account_id: number | null
  body_html: string | null
  body_text: string | null
  created_at: string
  id: Generated<number>
  is_default: Generated<boolean>
  name: string
  revision: Generated<number>
  sort_order: Generated<number>
  tenant_id: number
  updated_at: string
  user_id: number
  uuid: Generated<string>
}

export interface EmailTemplates {
  body_html: string
  category: string | null
  created_at: string
  id: Generated<number>
  is_active: Generated<boolean>
  is_shared: Generated<boolean>
  name: string
  revision: Generated<number>
  subject: string
  tenant_id: number
  updated_at: string
  user_id: number
  uuid: Generated<string>
  variables: Generated<Json>
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    email_accounts: EmailAccounts
    email_folders: EmailFolders
    email_labels: EmailLabels
    email_message_files: EmailMessageFiles
    email_message_labels: EmailMessageLabels
    email_message_links: EmailMessageLinks
    email_messages: EmailMessages
    email_quarantine: EmailQuarantine
    email_signatures: EmailSignatures
    email_templates: EmailTemplates
  }
}
