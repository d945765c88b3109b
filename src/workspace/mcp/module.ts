import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'mcp',
  title: 'Agents',
  description: 'The operations of this API as tools for agents, by the Model Context Protocol.',
  core: true,
  uses: ['events'],
  routes: () => import('./routes.ts'),
})
