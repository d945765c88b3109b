/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated, Json } from '#kernel/database/tables.ts'

export interface SubscriptionEvents {
  actor_id: number | null
  created_at: string
  event: string
  id: Generated<number>
  properties: Generated<Json>
  subscription_id: number
  tenant_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    subscription_events: SubscriptionEvents
  }
}
