/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { Generated } from '#kernel/database/tables.ts'

export interface ModuleCategories {
  id: Generated<number>
  name: string
}

declare module '#kernel/database/tables.ts' {
  interface Modules {
    category_id: number | null
  }
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    module_categories: ModuleCategories
  }
}
