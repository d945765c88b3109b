import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'payment-webhooks',
  title: 'Payment webhooks',
  description: 'Where payment providers tell what became of payments, and where workspaces pay by link.',
  path: '',
  routes: () => import('./routes.ts'),
})
