import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens(
  {
    'leads-imports': {
      begun: {
        says: 'A file of leads is brought in step by step: a new import asks for the file, and then what its columns mean.',
        importOf: 'leads',
        steps: ['table', 'preview', 'run'],
      },
    },
    leads: {
      card: ['company', 'tags', 'latest_note', 'lead_value', 'assigned_to'],
      drawn: { board: 'board', record: 'lead' },
    },
  },
  { 'follow-ups': { title: 'Follow-ups', icon: 'calendar', beside: true, allow: ['leads.view'], drawn: 'follow-ups' } },
)
