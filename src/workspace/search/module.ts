import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'search',
  title: 'Search',
  description: 'One question to all records that are searched by their text, of every module that works.',
  core: true,
  routes: () => import('./routes.ts'),
})
