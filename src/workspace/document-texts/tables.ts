/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

export interface DocumentTexts {
  key: string
  language: string
  tenant_id: number
  text: string
  updated_at: string
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    document_texts: DocumentTexts
  }
}
