import { defineModule, numberPrefix, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('contracts'),
  update: 'Change drafts, add notes, activate without a signature, expire and terminate',
  assign: 'See everybody’s contracts and assign them',
  send: 'Send and mail contracts, and make acceptance links',
  accept: 'Say that customers accepted contracts',
  convert: 'Make invoices of contracts',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'contracts', typeof permissions> {}
  interface WorkspaceSettings {
    contracts_number_prefix: string
  }
  interface Subjects {
    contract: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    'contract.sent': { contract_id: number }
    /** The customer accepted it through an acceptance link. */
    'contract.signed': { contract_id: number }
    /** It is in force from now on: signed, accepted by staff, or activated without either. */
    'contract.activated': { contract_id: number }
    'contract.expired': { contract_id: number }
    'contract.terminated': { contract_id: number }
  }
}

export default defineModule({
  key: 'contracts',
  title: 'Contracts',
  description: 'What the firm and its customers have agreed on, from draft to signature and to its end.',
  position: 70,
  version: '1.5.0',
  category: 'Customers and sales',
  uses: ['acceptance', 'issued-documents', 'document-texts', 'contacts', 'companies', 'invoices'],
  permissions,
  settings: {
    contracts_number_prefix: numberPrefix('CT-', 'contract'),
  },
  subjects: { contract: async () => (await import('./contracts.ts')).contracts },
  notifications: { category: 'crm', mentions: ['contract'], kinds: () => import('./notifications.ts') },
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  widgets: () => import('./widgets.ts'),
  demo: () => import('./demo.ts'),
})
