/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated, Json } from '#kernel/database/tables.ts'

export interface IssuedDocuments {
  issued_at: string
  languages: Generated<string[]>
  locale: string
  logo_key: string | null
  parties: Json | null
  pdf_bytes: number | null
  pdf_key: string | null
  pdf_sha256: Buffer | null
  printed: Json
  shown: Json | null
  subject_id: number
  subject_type: string
  tenant_id: number
  timezone: string
  xml: string | null
  xml_sha256: Buffer | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    issued_documents: IssuedDocuments
  }
}
