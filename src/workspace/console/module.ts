import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'console',
  title: 'Console',
  description: 'What a client begins with: who is signed in, what they may do, and the screens of all modules as data.',
  core: true,
  uses: ['branded', 'notifications'],
  routes: () => import('./routes.ts'),
})
