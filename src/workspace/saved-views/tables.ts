/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated, Json } from '#kernel/database/tables.ts'

export interface SavedViews {
  columns: Generated<Json>
  created_at: string
  direction: 'asc' | 'desc' | null
  filters: Generated<Json>
  id: Generated<number>
  is_shared: Generated<boolean>
  layout: Generated<'list' | 'board'>
  name: string
  revision: Generated<number>
  screen: string
  sort: string | null
  tenant_id: number
  updated_at: string
  user_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    saved_views: SavedViews
  }
}
