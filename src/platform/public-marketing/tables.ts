/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

export interface UptimeDays {
  day: string
  first_minute: number
  last_minute: number
  minutes: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    uptime_days: UptimeDays
  }
}
