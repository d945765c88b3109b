import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

/** CEN-51. */
const permissions = { view: 'See the platform’s figures' }

declare module '#kernel/names.ts' {
  interface PlatformPermissions extends PermissionNames<'dashboard', typeof permissions> {}
}

export default defineModule({
  key: 'dashboard',
  title: 'Dashboard',
  description: 'How the platform is doing.',
  permissions,
  screen: () => import('./screen.ts'),
  routes: () => import('./routes.ts'),
})
