/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface DepartmentManagers {
  department_id: number
  tenant_id: number
  user_id: number
}

export interface Departments {
  created_at: string
  id: Generated<number>
  is_active: Generated<boolean>
  name: string
  revision: Generated<number>
  tenant_id: number
  updated_at: string
}

export interface Employees {
  created_at: string
  created_by: number | null
  deleted_at: string | null
  department_id: number | null
  email: string | null
  employment_type: 'full_time' | 'part_time' | 'contract' | 'intern'
  external_id: string | null
  first_name: string
  hire_date: string | null
  id: Generated<number>
  last_name: string | null
  name: string
  number: string
  phone: string | null
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: 'active' | 'inactive'
  tenant_id: number
  updated_at: string
  user_id: number | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    department_managers: DepartmentManagers
    departments: Departments
    employees: Employees
  }
}
