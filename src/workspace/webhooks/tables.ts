/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

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
  position: number
  revision: Generated<number>
  secret: Buffer
  tenant_id: number
  types: string[]
  updated_at: string
  url: string
  user_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    webhook_deliveries: WebhookDeliveries
    webhook_endpoints: WebhookEndpoints
  }
}
