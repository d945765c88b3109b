import { defineModule } from '#kernel/modules/module.ts'

/** Its permission is `users.impersonate`, which the users module declares, as the contract names it. */
export default defineModule({
  key: 'impersonation',
  title: 'Impersonation',
  description: 'Working as another user for an hour, with a reason and a trace.',
  core: true,
  path: '',
  requires: ['users', 'roles'],
  routes: () => import('./routes.ts'),
  listeners: () => import('./listeners.ts'),
  demo: () => import('./demo.ts'),
})
