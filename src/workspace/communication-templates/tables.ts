/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface CommunicationTemplates {
  body: string
  category: string | null
  channel: 'chat_app'
  context: string
  created_at: string
  created_by: number | null
  deleted_at: string | null
  external_id: string | null
  id: Generated<number>
  is_active: Generated<boolean>
  last_used_at: string | null
  name: string
  revision: Generated<number>
  tenant_id: number
  updated_at: string
  uuid: Generated<string>
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    communication_templates: CommunicationTemplates
  }
}
