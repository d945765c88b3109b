import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens(
  {
    'attendance-records': {
      icon: 'calendar',
      columns: [
        'date',
        'employee_id',
        'check_in',
        'check_out',
        'attended_minutes',
        'break_minutes',
        'status',
        'work_mode',
        'notes',
      ],
      chart: { of: 'attended_minutes' },
    },
  },
  { 'attendance-day': { title: 'Attendance', icon: 'calendar', drawn: 'day' } },
)
