import { defineModule, type PermissionNames, recordPermissions } from '#kernel/modules/module.ts'

const permissions = {
  ...recordPermissions('short links'),
  view_analytics: 'See who clicked: the click log and the analytics of short links',
}

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'short-links', typeof permissions> {}
}

declare module '#kernel/database/channel.ts' {
  interface Topics {
    /** A link was created, changed or deleted: cached entries are stale. */
    'short-link.changed': { code: string; uuid?: string }
  }
}

export default defineModule({
  key: 'short-links',
  title: 'Short links',
  description: 'Short addresses that lead elsewhere, and who followed them.',
  version: '1.2.0',
  category: 'Communication',
  uses: ['branded'],
  permissions,
  listeners: () => import('./listeners.ts'),
  jobs: () => import('./jobs.ts'),
  start: () => import('./start.ts'),
  screen: () => import('./screen.ts'),
  routes: () => import('./routes.ts'),
  demo: () => import('./demo.ts'),
})
