import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  'webhook-endpoints': {
    icon: 'link',
    columns: ['url', 'is_active', 'types', 'failing_since', 'description'],
    drawn: { record: 'endpoint' },
  },
})
