import { defineModule } from '#kernel/modules/module.ts'
import { type Language, language } from './languages.ts'

declare module '#kernel/names.ts' {
  interface WorkspaceSettings {
    document_language: Language
  }
}

export default defineModule({
  key: 'document-texts',
  title: 'Document texts',
  description: 'The languages of documents, and what documents, mails and pages say in them to customers.',
  core: true,
  settings: {
    document_language: {
      schema: language(),
      default: 'en',
      title: 'Language of documents',
      hint: 'For customers without one of their own, whatever the locale is.',
      grants: false,
    },
  },
  routes: () => import('./routes.ts'),
  screen: () => import('./screen.ts'),
})
