import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'acceptance',
  title: 'Acceptance',
  description: 'What customers open by acceptance links: pages to read and sign, and the same for programs.',
  path: '',
  uses: ['acceptance', 'quotations', 'contracts', 'document-texts'],
  routes: () => import('./routes.ts'),
})
