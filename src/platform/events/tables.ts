/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated, Json } from '#kernel/database/tables.ts'

export interface PlatformEvents {
  actor_id: number | null
  changed: Json | null
  client: string | null
  created_at: string
  data: Json
  deed: string
  id: Generated<number>
  kind: string
  label: string
  position: number | null
  subject_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    platform_events: PlatformEvents
  }
}
