/** Messages of the user's mailboxes. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, filterOf, listing, Paging } from '#kernel/records/listing.ts'
import type { Row } from '#kernel/records/resource.ts'
import { countIn } from '../folders/counts.ts'
import { type Narrowed, narrowed, ofMyAccounts, personal } from '../personal.ts'
import { Message, MessageItem, STATUSES } from './schema.ts'

export type MessageRow = Row<'email_messages'>

export const messages = personal({
  table: 'email_messages',
  noun: 'message',
  item: MessageItem,
  detail: Message,
  mine: ofMyAccounts('email_messages'),
})

export const messageList = listing(messages, {
  sorts: ['date', 'subject', 'created_at', 'updated_at'],
  filters: {
    is_read: filter.flag('is_read'),
    is_starred: filter.flag('is_starred'),
    status: filter.oneOf('status', STATUSES),
    thread_key: filterOf({
      schema: z.string().max(998),
      where: (_, value, column) => sql`${column('thread_key')} = ${value}`,
    }),
  },
  order: { by: ['date'], direction: 'desc' },
  hardDeleted: true,
  total: (ctx: InFolder, { is_read, is_starred, status, thread_key }) =>
    [is_read, is_starred, status, thread_key].some((filter) => filter !== undefined) ? undefined : totalIn(ctx),
})

/** A ctx in which the list shows a folder. */
interface InFolder extends Narrowed {
  folderId?: number
}

export const inFolder = (ctx: Ctx, folderId: number): InFolder => ({
  ...narrowed(ctx, sql`email_messages.folder_id = ${folderId}`),
  folderId,
})

function totalIn(ctx: InFolder) {
  if (ctx.folderId === undefined) return undefined
  const counted = sql<{ total: number }>`select ${countIn(ctx, sql`${ctx.folderId}`, 'all')} as total`.execute(ctx.tx)
  return counted.then(({ rows }) => rows[0]!.total)
}

export const SearchQuery = messageList.queryWith({
  ...Paging.shape,
  q: z.string().trim().max(200, 'Must be at most 200 characters.').optional(),
})

/** EML-17: the words of `q`, each as the beginning of one in the message. 422 without any. */
export function searchMessages(ctx: Ctx, accountId: number, query: z.output<typeof SearchQuery>) {
  if (!query.q) throw invalid({ q: 'Is required.' })
  const found = sql<boolean>`email_messages.account_id = ${accountId} and email_messages.id in (select app.search_email(${accountId}, ${query.q}))`
  return messageList.page(narrowed(ctx, found), query)
}
