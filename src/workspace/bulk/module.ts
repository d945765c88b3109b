import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'bulk',
  title: 'Bulk changes',
  description: 'Deeds that were done to many records at once: how far they are, and undoing them.',
  core: true,
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  jobs: () => import('./jobs.ts'),
})
