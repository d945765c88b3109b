import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'statements',
  title: 'Statements',
  description: 'What customers owe, and what was booked: statements of companies and contacts.',
  core: true,
  path: '',
  uses: ['payments', 'invoices', 'credit-notes', 'contacts', 'companies', 'document-texts'],
  routes: () => import('./routes.ts'),
})
