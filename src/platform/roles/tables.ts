/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface PlatformPermissions {
  id: Generated<number>
  name: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    platform_permissions: PlatformPermissions
  }
}
