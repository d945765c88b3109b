import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'email-webhooks',
  title: 'E-mail webhooks',
  description: 'Where mail providers tell what became of mails: delivered, bounced, opened.',
  path: '',
  routes: () => import('./routes.ts'),
})
