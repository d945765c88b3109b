import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'short-links',
  title: 'Short links',
  description: 'Where short addresses lead.',
  path: '',
  uses: ['short-links'],
  routes: () => import('./routes.ts'),
})
