import { z } from 'zod'
import { defineModule, type PermissionNames } from '#kernel/modules/module.ts'

const permissions = { view: 'See settings', update: 'Change settings' }

declare module '#kernel/names.ts' {
  interface WorkspacePermissions extends PermissionNames<'settings', typeof permissions> {}
  interface WorkspaceSettings {
    company_address: string
    company_phone: string
    company_email: string
    tax_registration_id: string
    document_accent_color: string
    document_footer: string
    tax_rounding: 'line' | 'document'
  }
}

export default defineModule({
  key: 'settings',
  title: 'Settings',
  description: 'How the workspace works, and how it looks on paper.',
  core: true,
  uses: ['issued-documents'],
  permissions,
  settings: {
    company_address: { schema: z.string().max(1000), default: '', title: 'Address on documents', grants: false },
    company_phone: { schema: z.string().max(50), default: '', title: 'Telephone on documents', grants: false },
    company_email: {
      schema: z.union([z.literal(''), z.email().max(254)]),
      default: '',
      title: 'E-mail address on documents',
      hint: 'Replies to mailed documents go there.',
      grants: false,
    },
    tax_registration_id: { schema: z.string().max(100), default: '', title: 'Tax registration id on documents', grants: false },
    document_accent_color: {
      schema: z.string().regex(/^#[0-9a-f]{6}$/i, 'Must be a colour such as #1f4f82.'),
      default: '#1f4f82',
      title: 'Colour of documents and mails',
      grants: false,
    },
    document_footer: {
      schema: z.string().max(300),
      default: '',
      title: 'Line at the foot of documents',
      grants: true, // usually contains bank details
    },
    tax_rounding: {
      schema: z.enum(['line', 'document']),
      default: 'line',
      title: 'Where tax is rounded',
      hint: 'On each line, or once per rate on the document.',
      grants: false,
    },
  },
  routes: () => import('./routes.ts'),
})
