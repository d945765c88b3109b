import { defineModule, numberPrefix, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('estimates'),
  update: 'Change drafts and add notes',
  assign: 'See everybody’s estimates and assign them',
  send: 'Send and mail estimates',
  accept: 'Say that customers accepted or declined estimates, and expire them',
  convert: 'Convert estimates to invoices',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'estimates', typeof permissions> {}
  interface WorkspaceSettings {
    estimates_number_prefix: string
  }
  interface Subjects {
    estimate: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    'estimate.sent': { estimate_id: number }
    'estimate.accepted': { estimate_id: number }
    'estimate.declined': { estimate_id: number; reason: string | null }
    'estimate.expired': { estimate_id: number }
  }
}

export default defineModule({
  key: 'estimates',
  title: 'Estimates',
  description: 'What work will cost its customer, before it is ordered.',
  position: 60,
  version: '1.0.0',
  category: 'Customers and sales',
  uses: ['issued-documents', 'document-texts', 'contacts', 'companies', 'products', 'invoices'],
  permissions,
  settings: {
    estimates_number_prefix: numberPrefix('EST-', 'estimate'),
  },
  subjects: { estimate: async () => (await import('./estimates.ts')).estimates },
  notifications: { category: 'crm', mentions: ['estimate'], kinds: () => import('./notifications.ts') },
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  widgets: () => import('./widgets.ts'),
  demo: () => import('./demo.ts'),
})
