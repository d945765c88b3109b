import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'console',
  title: 'Console',
  description:
    'What the operator’s client begins with: who is signed in, what they may do, and the screens of all areas as data.',
  routes: () => import('./routes.ts'),
})
