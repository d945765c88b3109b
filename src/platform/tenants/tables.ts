/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

export interface UnprovenWorkspaces {
  created_at: string
  email: string
  network: string | null
  tenant_id: number
}

export interface UsersDeletedWithTenant {
  tenant_id: number
  user_id: number
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    unproven_workspaces: UnprovenWorkspaces
    users_deleted_with_tenant: UsersDeletedWithTenant
  }
}
