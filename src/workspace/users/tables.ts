/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated, Numeric } from '#kernel/database/tables.ts'

declare module '#kernel/database/tables.ts' {
  interface Users {
    exclude_from_lead_auto_assign: Generated<boolean>
    lead_commission_rate: Numeric | null
    receive_all_users_daily_summary: Generated<boolean>
    receive_website_leads: Generated<boolean>
  }
}
