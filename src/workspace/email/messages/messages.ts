/** Messages of the user's mailboxes. */
import { type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, filterOf, type ListQuery, listing, Paging, type Part } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import type { Row } from '#kernel/records/resource.ts'
import { isMine, ofMyAccounts } from '../accounts/schema.ts'
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
    before: filterOf({
      schema: z.uuid('Must be the uuid of a message.').meta({
        description:
          'Only messages that stand behind this one, the newest first: reads on in a folder of any size without counting its pages.',
        examples: ['0198f0c2-5b1e-7c3a-9d4f-2a6b8c0d1e2f'],
      }),
      where: (ctx: Ctx, uuid, column) => sql`(${column('date')}, ${column('id')}) < (
        select b.date, b.id from email_messages b join email_accounts a on a.tenant_id = b.tenant_id and a.id = b.account_id
        where b.tenant_id = ${ctx.tenant.id} and b.uuid = ${uuid} and ${isMine(ctx, 'a')})`,
    }),
  },
  order: { by: ['date'], direction: 'desc' },
  hardDeleted: true,
})

/** Returns a page of messages. 422 on `before` if they are sorted in an order that it doesn't apply to. */
export function pageOf(ctx: Ctx, query: ListQuery, part: Part) {
  if (query.before !== undefined && ((query.sort ?? 'date') !== 'date' || query.direction === 'asc'))
    throw invalid({ before: 'Goes with the newest first: leave sort and direction out.' })
  return messageList.page(ctx, query, part)
}

/** Returns a page of a folder. Totals of all and of read messages are stored; those of other filters are counted. */
export function messagesIn(ctx: Ctx, folderId: number, query: ListQuery) {
  const { is_read, is_starred, status, thread_key } = query
  const filtered = [is_starred, status, thread_key].some((filter) => filter !== undefined)
  const only = sql<SqlBool>`email_messages.folder_id = ${folderId}`
  return pageOf(ctx, query, filtered ? { only } : { only, total: totalIn(ctx, folderId, is_read) })
}

async function totalIn(ctx: Ctx, folderId: number, isRead: unknown) {
  const count = (which: 'all' | 'unread') => countIn(ctx, sql`${folderId}`, which)
  const total = isRead === undefined ? count('all') : isRead ? sql`${count('all')} - ${count('unread')}` : count('unread')
  const { rows } = await sql<{ total: number }>`select ${total} as total`.execute(ctx.tx)
  return rows[0]!.total
}

export const SearchQuery = messageList.queryWith({
  ...Paging.shape,
  q: z.string().trim().max(200, 'Must be at most 200 characters.').optional(),
})

/** EML-17: each word of `q` is the beginning of a word in the message. 422 without words. */
export function searchMessages(ctx: Ctx, accountId: number, query: z.output<typeof SearchQuery>) {
  if (!query.q) throw invalid({ q: 'Is required.' })
  const found = sql<boolean>`email_messages.account_id = ${accountId} and email_messages.id in (select app.search_email(${accountId}, ${query.q}))`
  return pageOf(ctx, query, { only: found })
}

/** Returns the messages of the same thread, in all folders of the mailbox. */
export async function messagesBeside(ctx: Ctx, uuid: string, query: ListQuery) {
  const { account_id, thread_key } = await messages.find(ctx, uuid)
  const only = sql<SqlBool>`email_messages.account_id = ${account_id} and email_messages.thread_key = ${thread_key}`
  return pageOf(ctx, query, { only })
}
