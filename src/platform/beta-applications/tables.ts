/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface BetaApplications {
  activated_at: string | null
  company: string
  created_at: string
  email: string
  id: Generated<number>
  internal_notes: string | null
  invite_expires_at: string | null
  invited_at: string | null
  message: string | null
  name: string
  revision: Generated<number>
  status: Generated<'new' | 'reviewing' | 'approved' | 'rejected' | 'invited' | 'activated'>
  updated_at: string
  uuid: Generated<string>
}

export interface BetaInvites {
  application_id: number
  created_at: string
  expires_at: string
  token_hash: Buffer
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    beta_applications: BetaApplications
    beta_invites: BetaInvites
  }
}
