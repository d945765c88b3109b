import {
  type AuditEventNames,
  defineModule,
  numberPrefix,
  type PermissionNames,
  recordPermissions,
} from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('payments'),
  create: 'Post payments, and pay invoices by them',
  update: 'Describe payments, add notes, pay invoices by what is left of them',
  void: 'Void payments',
  reconcile: 'Read bank statements in, and post payments by what they tell',
  configure: 'Say how customers may pay: the bank account, the keys of a payment provider',
}

const auditEvents = { payment_method_configured: 'Payment method set up' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'payments', typeof permissions> {}
  interface WorkspaceSettings {
    payments_number_prefix: string
  }
  interface Subjects {
    payment: true
  }
  interface AuditEvents extends AuditEventNames<typeof auditEvents> {}
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    'payment.posted': { payment_id: number }
    'payment.voided': { payment_id: number }
  }
}

export default defineModule({
  key: 'payments',
  title: 'Payments',
  description: 'What customers paid, and which invoices by it.',
  position: 90,
  version: '1.0.0',
  path: '',
  category: 'Finance',
  uses: ['invoices', 'contacts', 'companies', 'issued-documents', 'document-texts', 'branded'],
  permissions,
  auditEvents,
  settings: {
    payments_number_prefix: numberPrefix('PAY-', 'payment'),
  },
  subjects: { payment: async () => (await import('./payments.ts')).payments },
  notifications: { category: 'billing', mentions: ['payment'], kinds: () => import('./notifications.ts') },
  listeners: () => import('./listeners.ts'),
  sealed: [() => import('./online/methods.ts')],
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo.ts'),
})
