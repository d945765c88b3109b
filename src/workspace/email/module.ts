import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = {
  view: 'See their own mailboxes, and templates',
  create: 'Write e-mails',
  update: 'Change, send, label and link e-mails',
  delete: 'Delete e-mails',
  'accounts.manage': 'Connect mailboxes of their own',
  'templates.manage': 'Add templates, change and delete their own',
  'signatures.manage': 'Keep signatures of their own',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'email', typeof permissions> {}
}

export default defineModule({
  key: 'email',
  title: 'E-mail',
  description: 'Everybody’s own mailboxes, read, answered and linked to whom they are about.',
  version: '1.0.0',
  category: 'Communication',
  uses: ['leads', 'contacts', 'companies', 'opportunities', 'documents'],
  permissions,
  errorCodes: { MAIL_SERVER_UNAVAILABLE: '502: the server of the mailbox doesn’t answer as it should.' },
  everyday: ['view', 'create', 'update', 'delete', 'accounts.manage', 'signatures.manage'],
  start: () => import('./start.ts'),
  sealed: [() => import('./connections/credentials.ts')],
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo/mailbox.ts'),
  screen: () => import('./screen.ts'),
})
