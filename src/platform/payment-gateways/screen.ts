import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  'payment-gateways': {
    icon: 'money',
    columns: ['name', 'is_default', 'is_enabled', 'mode', 'is_configured', 'last_tested_at'],
    drawn: { record: 'gateway' },
  },
})
