/** Written by `npm run types` from the migrations. Changes made by hand are lost. */

import type { GeneratedAlways } from 'kysely'
import type { Generated } from '#kernel/database/tables.ts'

export interface AttendanceReasons {
  created_at: string
  id: Generated<number>
  is_active: Generated<boolean>
  is_other: Generated<boolean>
  kind: 'check_in_late' | 'check_out'
  name: string
  revision: Generated<number>
  sort_order: Generated<number>
  tenant_id: number
  updated_at: string
}

export interface AttendanceRecords {
  attended_minutes: number | null
  break_minutes: Generated<number>
  change_reason: string | null
  check_in: string | null
  check_in_ip: string | null
  check_in_reason_id: number | null
  check_in_reason_notes: string | null
  check_out: string | null
  check_out_ip: string | null
  check_out_reason_id: number | null
  check_out_reason_notes: string | null
  checked_in_at: string | null
  checked_out_at: string | null
  created_at: string
  created_by: number | null
  date: string
  deleted_at: string | null
  employee_id: number
  ends_next_day: Generated<boolean>
  external_id: string | null
  id: Generated<number>
  latitude: number | null
  longitude: number | null
  notes: string | null
  reason_id: GeneratedAlways<number | null>
  reason_notes: GeneratedAlways<string | null>
  revision: Generated<number>
  search_text: GeneratedAlways<string | null>
  status: Generated<'present' | 'absent' | 'half_day' | 'remote' | 'late'>
  tenant_id: number
  updated_at: string
  work_mode: 'on_site' | 'remote' | null
}

declare module '#kernel/database/tables.ts' {
  interface DB {
    attendance_reasons: AttendanceReasons
    attendance_records: AttendanceRecords
  }
}
