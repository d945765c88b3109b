import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  projects: {
    card: ['company_id', 'contact_id', 'latest_note', 'ends_on', 'assigned_to'],
    drawn: { record: 'project' },
  },
})
