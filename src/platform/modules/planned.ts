/** Catalogue entries whose interface isn't described yet: listed as planned until a folder with their key exists. */
export const plannedModules = [
  { key: 'accounting', name: 'Accounting', version: '1.7.2' },
  { key: 'ai', name: 'AI assistant', version: '1.16.0' },
  { key: 'announcements', name: 'Announcements', version: '1.0.0' },
  { key: 'automation', name: 'Automation', version: '1.3.0' },
  { key: 'calendar', name: 'Calendar', version: '1.0.0' },
  { key: 'chat-app', name: 'Chat-app messaging', version: '1.0.0' },
  { key: 'help-desk', name: 'Help desk', version: '1.10.0' },
  { key: 'knowledge-base', name: 'Knowledge base', version: '1.0.0' },
  { key: 'leave', name: 'Leave', version: '1.0.0' },
  { key: 'meetings', name: 'Meetings', version: '1.0.0' },
  { key: 'payroll', name: 'Payroll', version: '1.0.0' },
  { key: 'team-chat', name: 'Team chat', version: '1.0.0' },
  { key: 'to-dos', name: 'To-dos', version: '1.0.0' },
]
