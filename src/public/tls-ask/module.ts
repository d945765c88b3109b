import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'tls-ask',
  title: 'Question of TLS issuers',
  description: 'Whether a certificate may be issued for a hostname.',
  path: '/internal',
  uses: ['branded'],
  routes: () => import('./routes.ts'),
})
