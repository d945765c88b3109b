import { defineModule } from '#kernel/modules/module.ts'

export default defineModule({
  key: 'issued-documents',
  title: 'Issued documents',
  description: 'Documents as they were issued: their texts, and their PDFs byte for byte.',
  core: true,
  uses: ['document-texts', 'e-invoices'],
  listeners: () => import('./listeners.ts'),
  jobs: () => import('./jobs.ts'),
})
