/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type {  } from '#kernel/database/tables.ts'

export interface TenantTrash {
  kind: string
  record_id: number
  tenant_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    tenant_trash: TenantTrash
  }
}
