import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'acceptance',
  title: 'Acceptance',
  description: 'Links by which customers accept what they are sent, and their signatures.',
  core: true,
  uses: ['issued-documents', 'document-texts'],
  listeners: () => import('./listeners.ts'),
})
