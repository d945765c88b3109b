import { defineModule } from '#kernel/modules/module.ts'
import { type SellerSettings, sellerSettings } from './party-fields.ts'

declare module '#kernel/names.ts' {
  interface WorkspaceSettings extends SellerSettings {}
}

export default defineModule({
  key: 'e-invoices',
  title: 'E-invoices',
  description: 'Invoices and credit notes as EN 16931 wants them: XML that other programs read, alone and inside the PDF.',
  core: true,
  settings: sellerSettings,
})
