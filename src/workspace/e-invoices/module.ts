import { z } from 'zod'
import { defineModule } from '#kernel/modules/module.ts'
import { type SellerSettings, sellerSettings } from './party-fields.ts'

declare module '#kernel/names.ts' {
  interface WorkspaceSettings extends SellerSettings {
    einvoice_on_send: 'off' | 'warn' | 'block'
  }
}

export default defineModule({
  key: 'e-invoices',
  title: 'E-invoices',
  description: 'Invoices and credit notes as EN 16931 wants them: XML that other programs read, alone and inside the PDF.',
  core: true,
  uses: ['document-texts'],
  settings: {
    ...sellerSettings,
    einvoice_on_send: {
      schema: z.enum(['off', 'warn', 'block']),
      default: 'off',
      title:
        'Put an e-invoice into the PDF of what is issued (off: never); where its data are missing, warn in the timeline or block',
      grants: false,
    },
  },
})
