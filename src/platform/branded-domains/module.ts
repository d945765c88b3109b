import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'branded-domains',
  title: 'Branded domains',
  description: "What the operator's edge tells of the workspaces' own hostnames.",
  path: '/tenants',
  uses: ['branded'],
  routes: () => import('./routes.ts'),
})
