/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface EventFeeds {
  floor: Generated<number>
  last: Generated<number>
  tenant_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    event_feeds: EventFeeds
  }
}
