import { sql } from 'kysely'
import { workspace } from '#kernel/http/route.ts'
import { accounts } from '../accounts/accounts.ts'
import { messageList, messagesIn } from '../messages/messages.ts'
import { MessageItem } from '../messages/schema.ts'
import { markLooked } from '../watching/looking.ts'
import { Folder, folderList, folders } from './folders.ts'

const { get } = workspace
const allow = 'email.view'

export const folderRoutes = [
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
