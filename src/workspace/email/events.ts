/** What programs and open screens are told of a mailbox: `email_account.changed`, to its user alone, once for all that a synchronisation found or did. */
import type { Ctx } from '#kernel/context.ts'
import { eventSubject } from '#kernel/records/event-types.ts'
import { writeActivity } from '#kernel/records/timeline.ts'
import { isMine } from './accounts/schema.ts'

const { table } = eventSubject({
  table: 'email_accounts',
  module: 'email',
  title: 'email_address',
  allow: 'email.view',
  scope: isMine,
  deeds: ['changed'],
})

/** Messages came, changed or went. Which ones stands nowhere: who wants to know reads the folder. */
export const tellChange = (ctx: Ctx, accountId: number) => writeActivity(ctx, { table, id: accountId, type: 'changed' })
