/** Catalogue entries whose interface isn't described yet: listed as planned until a folder with their key exists. */
export const plannedModules = [
  { key: 'accounting', name: 'Accounting', description: 'Ledgers, journals and closing the books.', version: '1.7.2' },
  { key: 'ai', name: 'AI assistant', description: 'Answers and drafts from what the workspace knows.', version: '1.16.0' },
  {
    key: 'announcements',
    name: 'Announcements',
    description: 'News for everybody in the firm, and who has read them.',
    version: '1.0.0',
  },
  { key: 'automation', name: 'Automation', description: 'Rules that do what is done again and again.', version: '1.3.0' },
  { key: 'calendar', name: 'Calendar', description: 'Appointments of people and rooms.', version: '1.0.0' },
  {
    key: 'chat-app',
    name: 'Chat-app messaging',
    description: 'Conversations with customers in their chat app.',
    version: '1.0.0',
  },
  { key: 'help-desk', name: 'Help desk', description: 'Tickets of customers, and who answers them by when.', version: '1.10.0' },
  { key: 'knowledge-base', name: 'Knowledge base', description: 'Articles for colleagues and customers.', version: '1.0.0' },
  { key: 'leave', name: 'Leave', description: 'Holidays and other absences, asked for and approved.', version: '1.0.0' },
  { key: 'meetings', name: 'Meetings', description: 'Agendas, minutes and what was decided.', version: '1.0.0' },
  { key: 'payroll', name: 'Payroll', description: 'Wages, month by month.', version: '1.0.0' },
  { key: 'team-chat', name: 'Team chat', description: 'Conversations among colleagues.', version: '1.0.0' },
  { key: 'to-dos', name: 'To-dos', description: 'Lists of one’s own.', version: '1.0.0' },
]
