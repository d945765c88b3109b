import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  'email-logs': {
    icon: 'mail',
    columns: ['subject', 'status', 'to', 'tenant_id', 'created_at'],
    drawn: { record: 'mail' },
  },
})
