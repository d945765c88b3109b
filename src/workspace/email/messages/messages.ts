/** Messages of the user's mailboxes. */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, filterOf, type ListQuery, listing, Paging } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { ofMyAccounts } from '../accounts/schema.ts'
import { countIn } from '../folders.ts'
import { Message, MessageItem, STATUSES } from './schema.ts'

export type MessageRow = Row<'email_messages'>

export const messages = lookupTable({
  table: 'email_messages',
  noun: 'message',
  item: MessageItem,
  detail: Message,
  title: null,
  key: 'uuid',
  scope: ofMyAccounts('email_messages'),
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
})

/** One page of a folder. How many messages it has is kept; how many of them match a filter is counted. */
export function messagesIn(ctx: Ctx, folderId: number, query: ListQuery) {
  const { is_read, is_starred, status, thread_key } = query
  const filtered = [is_read, is_starred, status, thread_key].some((filter) => filter !== undefined)
  const only = sql<SqlBool>`email_messages.folder_id = ${folderId}`
  return messageList.page(ctx, query, filtered ? { only } : { only, total: totalIn(ctx, folderId) })
}

const totalIn = async (ctx: Ctx, folderId: number) => {
  const { rows } = await sql<{ total: number }>`select ${countIn(ctx, sql`${folderId}`, 'all')} as total`.execute(ctx.tx)
  return rows[0]!.total
}

export const SearchQuery = messageList.queryWith({
  ...Paging.shape,
  q: z.string().trim().max(200, 'Must be at most 200 characters.').optional(),
})

/** EML-17: the words of `q`, each as the beginning of one in the message. 422 without any. */
export function searchMessages(ctx: Ctx, accountId: number, query: z.output<typeof SearchQuery>) {
  if (!query.q) throw invalid({ q: 'Is required.' })
  const found = sql<boolean>`email_messages.account_id = ${accountId} and email_messages.id in (select app.search_email(${accountId}, ${query.q}))`
  return messageList.page(ctx, query, { only: found })
}
