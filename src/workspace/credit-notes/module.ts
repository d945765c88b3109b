import { defineModule, numberPrefix, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('credit notes'),
  update: 'Change drafts and add notes',
  issue: 'Issue credit notes',
  apply: 'Apply credit notes to invoices, and take that back',
  void: 'Void credit notes',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'credit-notes', typeof permissions> {}
  interface WorkspaceSettings {
    credit_notes_number_prefix: string
  }
  interface Subjects {
    credit_note: true
  }
}

declare module '#kernel/modules/events.ts' {
  interface Events {
    'credit_note.issued': { credit_note_id: number }
    'credit_note.applied': { credit_note_id: number; invoice_id: number }
  }
}

export default defineModule({
  key: 'credit-notes',
  title: 'Credit notes',
  description: 'What the firm takes off the invoices of its customers.',
  position: 100,
  version: '1.0.0',
  category: 'Finance',
  uses: ['invoices', 'payments', 'contacts', 'companies', 'products', 'issued-documents', 'document-texts', 'e-invoices'],
  permissions,
  settings: {
    credit_notes_number_prefix: numberPrefix('CN-', 'credit note'),
  },
  subjects: { credit_note: async () => (await import('./credit-notes.ts')).creditNotes },
  notifications: { category: 'billing', mentions: ['credit_note'], kinds: () => import('./notifications.ts') },
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
