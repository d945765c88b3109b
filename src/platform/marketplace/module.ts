import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'marketplace',
  title: 'Marketplace',
  description: 'What an operator may sell to a workspace, and what stands in the way there.',
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
})
