import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'account',
  title: 'Account',
  description: 'Signing in to the platform, and one’s own profile, password, second factor, passkeys and sessions.',
  path: '',
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
})
