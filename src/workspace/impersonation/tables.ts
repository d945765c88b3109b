/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface UserImpersonations {
  actor_id: number
  created_at: string
  ended_at: string | null
  expires_at: string
  id: Generated<number>
  ip: string | null
  reason: string
  target_id: number
  tenant_id: number
  token_id: number
  user_agent: string | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    user_impersonations: UserImpersonations
  }
}
