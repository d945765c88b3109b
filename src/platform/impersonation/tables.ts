/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface PlatformImpersonations {
  admin_email: string
  admin_id: number
  admin_name: string
  admin_token_id: number
  ended_at: string | null
  expires_at: string
  id: Generated<number>
  ip: string | null
  reason: string
  started_at: string
  tenant_id: number
  token_id: number
  user_agent: string | null
  user_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    platform_impersonations: PlatformImpersonations
  }
}
