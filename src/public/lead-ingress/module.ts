import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'lead-ingress',
  title: 'Lead ingress',
  description: 'Where leads arrive from outside: webhook endpoints and social ads.',
  path: '',
  uses: ['leads'],
  routes: () => import('./routes.ts'),
})
