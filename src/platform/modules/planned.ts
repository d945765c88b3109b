import type { CatalogueCategory } from '#kernel/modules/module.ts'

interface Planned {
  key: string
  name: string
  description: string
  version: string
  category: CatalogueCategory
}

/**
 * Planned modules: catalogue entries whose API isn't described yet. They are listed as planned until a folder with their key
 * exists.
 */
export const plannedModules: Planned[] = [
  {
    key: 'accounting',
    name: 'Accounting',
    description: 'Ledgers, journals and closing the books.',
    category: 'Finance',
    version: '1.7.2',
  },
  {
    key: 'ai',
    name: 'AI assistant',
    description: 'Answers and drafts from what the workspace knows.',
    category: 'Communication',
    version: '1.16.0',
  },
  {
    key: 'announcements',
    name: 'Announcements',
    description: 'News for everybody in the firm, and who has read them.',
    category: 'People',
    version: '1.0.0',
  },
  {
    key: 'automation',
    name: 'Automation',
    description: 'Rules that do what is done again and again.',
    category: 'Work',
    version: '1.3.0',
  },
  { key: 'calendar', name: 'Calendar', description: 'Appointments of people and rooms.', category: 'Work', version: '1.0.0' },
  {
    key: 'chat-app',
    name: 'Chat-app messaging',
    description: 'Conversations with customers in their chat app.',
    category: 'Communication',
    version: '1.0.0',
  },
  {
    key: 'help-desk',
    name: 'Help desk',
    description: 'Tickets of customers, and who answers them by when.',
    category: 'Work',
    version: '1.10.0',
  },
  {
    key: 'knowledge-base',
    name: 'Knowledge base',
    description: 'Articles for colleagues and customers.',
    category: 'Work',
    version: '1.0.0',
  },
  {
    key: 'leave',
    name: 'Leave',
    description: 'Holidays and other absences, asked for and approved.',
    category: 'People',
    version: '1.0.0',
  },
  {
    key: 'meetings',
    name: 'Meetings',
    description: 'Agendas, minutes and what was decided.',
    category: 'Work',
    version: '1.0.0',
  },
  { key: 'payroll', name: 'Payroll', description: 'Wages, month by month.', category: 'People', version: '1.0.0' },
  {
    key: 'team-chat',
    name: 'Team chat',
    description: 'Conversations among colleagues.',
    category: 'Communication',
    version: '1.0.0',
  },
  { key: 'to-dos', name: 'To-dos', description: 'Lists of one’s own.', category: 'Work', version: '1.0.0' },
]
