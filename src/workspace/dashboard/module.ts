import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'dashboard',
  title: 'Dashboard',
  description: 'The widgets of every module that is installed and permitted.',
  core: true,
  routes: () => import('./routes.ts'),
})
