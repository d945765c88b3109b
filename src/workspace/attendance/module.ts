import { z } from 'zod'
import { defineModule, type PermissionNames, recordPermissions, type Setting } from '#kernel/modules/module.ts'
import { clockMinute, wholeNumber } from '#kernel/values/fields.ts'

const permissions = {
  ...recordPermissions('attendance records'),
  update: 'Change attendance records and the reasons',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'attendance', typeof permissions> {}
  interface WorkspaceSettings {
    attendance_self_check_in: boolean
    attendance_require_late_reason: boolean
    attendance_auto_check_in_on_login: boolean
    attendance_on_site_start: string
    attendance_remote_start: string
    attendance_grace_minutes: number
  }
}

const flag = (title: string, standard: boolean): Setting => ({
  schema: z.boolean('Must be true or false.'),
  default: standard,
  title,
  grants: false,
})
const start = (title: string): Setting => ({
  schema: clockMinute(),
  default: '09:00',
  title,
  grants: false,
})
const grace: Setting = {
  schema: wholeNumber(0, 720),
  default: 15,
  title: 'Minutes after which one is late',
  grants: false,
}

export default defineModule({
  key: 'attendance',
  title: 'Attendance',
  description: 'Who was at work when, on site or remote, and why somebody was late.',
  version: '1.4.0',
  category: 'People',
  path: '',
  uses: ['employees'],
  permissions,
  everyday: [], // employees check in and out without a permission
  settings: {
    attendance_self_check_in: flag('Employees check in and out themselves', true),
    attendance_require_late_reason: flag('Whoever checks in late says why', false),
    attendance_auto_check_in_on_login: flag('Signing in checks in', false),
    attendance_on_site_start: start('When work on site begins'),
    attendance_remote_start: start('When remote work begins'),
    attendance_grace_minutes: grace,
  },
  installation: () => import('./installation.ts'),
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  demo: () => import('./demo.ts'),
})
