/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

export interface StorageUsage {
  tenant_id: number
  used_bytes: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    storage_usage: StorageUsage
  }
}
