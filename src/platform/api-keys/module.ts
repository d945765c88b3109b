import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'api-keys',
  title: 'API keys',
  description: 'What programs sign in with: one’s own rights, narrowed.',
  routes: () => import('./routes.ts'),
})
