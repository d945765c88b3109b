/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Json } from '#kernel/database/tables.ts'

export interface OperationsSamples {
  figures: Json
  process: string
  taken_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    operations_samples: OperationsSamples
  }
}
