import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens(
  {
    'attendance-records': {
      icon: 'calendar',
      columns: ['date', 'employee_id', 'check_in', 'check_out', 'status', 'work_mode', 'notes'],
    },
  },
  { 'attendance-day': { title: 'Attendance', icon: 'calendar', drawn: 'day' } },
)
