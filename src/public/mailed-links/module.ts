import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'mailed-links',
  title: 'Mailed links',
  description:
    'The pages that mailed links open: verify or keep an address, accept an invitation, choose a new password, end mails.',
  path: '',
  uses: ['notifications'],
  routes: () => import('./routes.ts'),
})
