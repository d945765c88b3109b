import { z } from 'zod'
import { workspace } from '#kernel/http/route.ts'
import { DocumentTexts, OwnWords, saveTexts, showTexts } from './own-words.ts'

export default [
  workspace.get(
    '/',
    {
      allow: 'settings.view',
      reply: z.array(DocumentTexts),
      operation: 'listDocumentTexts',
      summary: 'List the texts of documents',
      description:
        'Answers, for every language, what documents, mails and pages say to customers, and which of these texts are the workspace’s own.',
    },
    showTexts,
  ),
  workspace.put(
    '/:language',
    {
      allow: 'settings.update',
      grants: true,
      body: OwnWords,
      reply: DocumentTexts,
      message: 'Document texts saved.',
      operation: 'updateDocumentTexts',
      summary: 'Change the texts of documents in a language',
      description:
        'Puts the workspace’s own words in place of shipped texts of a language, all that are sent or, where one is wrong, none. What was issued keeps the words that it was issued with.',
    },
    (ctx, { language, body }) => saveTexts(ctx, language, body),
  ),
]
