import { sql } from 'kysely'
import { workspace } from '#kernel/http/route.ts'
import { changesOf } from '#kernel/values/fields.ts'
import { accounts } from '../accounts/accounts.ts'
import { messageList, messages } from '../messages/messages.ts'
import { Message, MessageItem } from '../messages/schema.ts'
import { LabelsBody, replaceLabels } from './labelling.ts'
import { CreateLabel, Label, labelList, labels } from './labels.ts'

const { get, post, put, del } = workspace
const view = 'email.view'
const update = 'email.update'

/** EML-15 */
export const labelRoutes = [
  get('/accounts/:uuid/labels', { allow: view, query: labelList.query, page: Label }, async (ctx, { uuid, query }) => {
    const { id } = await accounts.find(ctx, uuid)
    return labelList.page(ctx, query, { only: sql`email_labels.account_id = ${id}` })
  }),
  post(
    '/accounts/:uuid/labels',
    { allow: update, record: accounts.find, body: CreateLabel, reply: Label, status: 201, message: 'Label created.' },
    async (ctx, { record, body }) => labels.show(ctx, (await labels.insert(ctx, { ...body, account_id: record.id })).uuid),
  ),
  get('/labels/:uuid', { allow: view, reply: Label }, (ctx, { uuid }) => labels.show(ctx, uuid)),
  put(
    '/labels/:uuid',
    { allow: update, record: labels.lock, body: changesOf(CreateLabel), reply: Label, message: 'Label saved.' },
    async (ctx, { uuid, record, body }) => {
      await labels.save(ctx, record, body)
      return labels.show(ctx, uuid)
    },
  ),
  del('/labels/:uuid', { allow: update, record: labels.lock, message: 'Label deleted.' }, async (ctx, { record }) =>
    labels.remove(ctx, record),
  ),
  get('/labels/:uuid/messages', { allow: view, query: messageList.query, page: MessageItem }, async (ctx, { uuid, query }) => {
    const { id } = await labels.find(ctx, uuid)
    const labelled = sql<boolean>`email_messages.id in (
      select message_id from email_message_labels where tenant_id = ${ctx.tenant.id} and label_id = ${id})`
    return messageList.page(ctx, query, { only: labelled })
  }),
  put(
    '/messages/:uuid/labels',
    { allow: update, record: messages.lock, body: LabelsBody, reply: Message, message: 'Labels saved.' },
    async (ctx, { uuid, record, body }) => {
      await replaceLabels(ctx, record, body.label_uuids)
      return messages.show(ctx, uuid)
    },
  ),
]
