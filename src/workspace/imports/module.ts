import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'imports',
  title: 'Imports',
  description: 'Records that come in as rows of a CSV or XLSX file, of any module, and undoing that.',
  core: true,
  uses: ['storage'],
  listeners: () => import('./listeners.ts'),
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
  jobs: () => import('./jobs.ts'),
  demo: () => import('./demo.ts'),
})
