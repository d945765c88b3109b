import { sql } from 'kysely'
import { workspace } from '#kernel/http/route.ts'
import { accounts } from './accounts/accounts.ts'
import { accountRoutes } from './accounts/routes.ts'
import { Folder, folderList, folders } from './folders.ts'
import { labelRoutes } from './labels.ts'
import { Mailboxes, mailboxesOf } from './mailboxes.ts'
import { messageList, messagesIn } from './messages/messages.ts'
import { messageRoutes } from './messages/routes.ts'
import { MessageItem } from './messages/schema.ts'
import { signatureRoutes } from './signatures.ts'
import { templateRoutes } from './templates.ts'
import { markLooked } from './watch.ts'

const { get } = workspace
const allow = 'email.view'

const folderRoutes = [
  get(
    '/mailboxes',
    {
      operation: 'listEmailMailboxes',
      summary: 'List mailboxes with their folders and labels',
      description: 'Answers the mailboxes of the caller with folders, how much is in them, and labels, all at once.',
      allow,
      reply: Mailboxes,
    },
    (ctx) => mailboxesOf(ctx),
  ),
  get('/accounts/:uuid/folders', { allow, query: folderList.query, page: Folder }, async (ctx, { uuid, query }) => {
    const { id } = await accounts.find(ctx, uuid)
    return folderList.page(ctx, query, { only: sql`email_folders.account_id = ${id}` })
  }),
  get('/folders/:uuid', { allow, reply: Folder }, (ctx, { uuid }) => folders.show(ctx, uuid)),
  get('/folders/:uuid/messages', { allow, query: messageList.query, page: MessageItem }, async (ctx, { uuid, query }) => {
    const { id, account_id } = await folders.find(ctx, uuid)
    markLooked(ctx, account_id)
    return messagesIn(ctx, id, query)
  }),
]

export default [...accountRoutes, ...folderRoutes, ...labelRoutes, ...messageRoutes, ...templateRoutes, ...signatureRoutes]
