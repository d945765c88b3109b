import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'api-keys',
  title: 'API keys',
  description: 'What programs sign in with: one’s own rights, narrowed.',
  core: true,
  routes: () => import('./routes.ts'),
})
