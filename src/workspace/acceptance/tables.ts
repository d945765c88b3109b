/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface AcceptanceLinks {
  created_at: string
  expires_at: string
  id: Generated<number>
  redeemed_at: string | null
  subject_id: number
  subject_type: string
  tenant_id: number
  token_hash: Buffer
}

export interface CustomerSignatures {
  document_sha256: string
  id: Generated<number>
  image_key: string | null
  ip: string
  kind: 'typed' | 'drawn'
  shown: string
  signed_at: string
  signer_email: string
  signer_name: string
  subject_id: number
  subject_type: string
  tenant_id: number
  typed: string | null
  user_agent: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    acceptance_links: AcceptanceLinks
    customer_signatures: CustomerSignatures
  }
}
