import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'account',
  title: 'Account',
  description: 'Signing in, and one’s own profile, password and sessions.',
  core: true,
  path: '',
  requires: ['roles'],
  routes: () => import('./routes.ts'),
})
