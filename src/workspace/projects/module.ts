import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('projects'),
  assign: 'Give projects to somebody, choose their members, and see those of everybody',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'projects', typeof permissions> {}
  interface Subjects {
    project: true
  }
}

export default defineModule({
  key: 'projects',
  title: 'Projects',
  description: 'What the firm undertakes, with whom and until when.',
  position: 130,
  version: '1.0.0',
  category: 'Work',
  uses: ['contacts', 'companies', 'opportunities'],
  permissions,
  subjects: { project: async () => (await import('./projects.ts')).projects },
  notifications: { category: 'tasks', mentions: ['project'] },
  placeholders: () => import('./placeholders.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  widgets: () => import('./widgets.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
