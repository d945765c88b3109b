import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'invoice-payments',
  title: 'Invoice payments',
  description: 'What customers of workspaces open by pay links: a page with the invoice and the ways to pay it.',
  path: '',
  uses: ['payments', 'invoices', 'document-texts'],
  routes: () => import('./routes.ts'),
})
