/**
 * Events of a mailbox for API clients and open screens: `email_account.changed`, sent to its user only, once for everything that
 * a synchronisation found or did.
 */
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

/** Records that messages arrived, changed or were removed. The event doesn't list them: clients read the folder again. */
export const tellChange = (ctx: Ctx, accountId: number) => writeActivity(ctx, { table, id: accountId, type: 'changed' })
