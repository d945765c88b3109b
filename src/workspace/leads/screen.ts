import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens(
  {
    leads: {
      card: ['company', 'tags', 'latest_note', 'lead_value', 'assigned_to'],
      drawn: { board: 'board', record: 'lead' },
    },
  },
  { 'follow-ups': { title: 'Follow-ups', icon: 'calendar', beside: true, allow: ['leads.view'], drawn: 'follow-ups' } },
)
