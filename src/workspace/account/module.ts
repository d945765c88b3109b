import { defineModule } from '#kernel/modules/module.ts'

declare module '#kernel/modules/events.ts' {
  interface Events {
    /** By password and code, by passkey, or by accepting an invitation. */
    'user.signed_in': { user_id: number }
    'user.signed_out': { user_id: number; token_id: number }
  }
}

export default defineModule({
  key: 'account',
  title: 'Account',
  description: 'Signing in, and one’s own profile, password, second factor, passkeys and sessions.',
  core: true,
  path: '',
  uses: ['branded'],
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
})
