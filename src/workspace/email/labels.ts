/** Labels of a mailbox and of its messages: the user's own, not known to the server (EML-13). */
import { sql } from 'kysely'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { workspace } from '#kernel/http/route.ts'
import { listing } from '#kernel/records/listing.ts'
import { lookupTable } from '#kernel/records/lookup-table.ts'
import { view } from '#kernel/records/view.ts'
import { changesOf, hardStamps, text, wholeNumber } from '#kernel/values/fields.ts'
import { accounts } from './accounts/accounts.ts'
import { ofMyAccounts } from './accounts/schema.ts'
import { messageList, messages, pageOf } from './messages/messages.ts'
import { Message, MessageItem } from './messages/schema.ts'

const CreateLabel = z.object({
  name: text(100),
  color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'Must be a colour such as #1A2B3C.')
    .nullish(),
  sort_order: wholeNumber(0, 1_000_000).default(0),
})

const Label = view('email_labels', 'EmailLabel', {
  uuid: z.string(),
  name: z.string(),
  color: z.string().nullable(),
  sort_order: z.int(),
  ...hardStamps,
})

const labels = lookupTable({
  table: 'email_labels',
  noun: 'label',
  item: Label,
  key: 'uuid',
  scope: ofMyAccounts('email_labels'),
  unique: { email_labels_name: { name: 'Another label of this mailbox has this name.' } },
})

const labelList = listing(labels, {
  order: { by: ['sort_order', 'name'] },
  hardDeleted: true,
})

// Labels of a message. All of them belong to its mailbox (EML-16).

const MAX = 100

export const labelUuids = () => z.array(z.uuid('Must be the uuid of a label.')).max(MAX, `Must name at most ${MAX} labels.`)

const LabelsBody = z.object({
  label_uuids: labelUuids().describe('Uuids of the labels that it is to have, all of its mailbox. An empty list takes all away.'),
})

interface Labelled {
  id: number
  account_id: number
}

/** Replaces all labels of a message. 422 on `label_uuids` for a label of another mailbox. */
async function replaceLabels(ctx: Ctx, message: Labelled, uuids: string[]) {
  const ids = await labelIds(ctx, message, uuids)
  await removeAll(ctx, message).execute()
  await add(ctx, message, ids)
}

export const addLabels = async (ctx: Ctx, message: Labelled, uuids: string[]) =>
  add(ctx, message, await labelIds(ctx, message, uuids))

export async function removeLabels(ctx: Ctx, message: Labelled, uuids: string[]) {
  const ids = await labelIds(ctx, message, uuids)
  if (ids.length) await removeAll(ctx, message).where('label_id', 'in', ids).execute()
}

async function labelIds(ctx: Ctx, { account_id }: Labelled, uuids: string[]) {
  if (!uuids.length) return []
  const found = await ctx
    .from('email_labels')
    .select(['id', 'uuid'])
    .where('account_id', '=', account_id)
    .where('uuid', 'in', uuids)
    .execute()
  const known = new Set(found.map(({ uuid }) => uuid))
  if (uuids.some((uuid) => !known.has(uuid.toLowerCase())))
    throw invalid({ label_uuids: 'Must name labels of the mailbox that the message is in.' })
  return found.map(({ id }) => id)
}

const removeAll = (ctx: Ctx, { id }: Labelled) => ctx.deleteFrom('email_message_labels').where('message_id', '=', id)

async function add(ctx: Ctx, { id }: Labelled, labels: number[]) {
  if (!labels.length) return
  await ctx.tx
    .insertInto('email_message_labels')
    .values(labels.map((label_id) => ({ tenant_id: ctx.tenant.id, message_id: id, label_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const { get, post, put, del } = workspace
const allow = 'email.view'
const update = 'email.update'

/** Routes of labels (EML-15). */
export const labelRoutes = [
  get('/accounts/:uuid/labels', { allow, query: labelList.query, page: Label }, async (ctx, { uuid, query }) => {
    const { id } = await accounts.find(ctx, uuid)
    return labelList.page(ctx, query, { only: sql`email_labels.account_id = ${id}` })
  }),
  post(
    '/accounts/:uuid/labels',
    {
      allow: update,
      grants: false,
      record: accounts.find,
      body: CreateLabel,
      reply: Label,
      status: 201,
      message: 'Label created.',
    },
    async (ctx, { record, body }) => labels.show(ctx, (await labels.insert(ctx, { ...body, account_id: record.id })).uuid),
  ),
  get('/labels/:uuid', { allow, reply: Label }, (ctx, { uuid }) => labels.show(ctx, uuid)),
  put(
    '/labels/:uuid',
    { allow: update, grants: false, record: labels.lock, body: changesOf(CreateLabel), reply: Label, message: 'Label saved.' },
    async (ctx, { uuid, record, body }) => {
      await labels.save(ctx, record, body)
      return labels.show(ctx, uuid)
    },
  ),
  del(
    '/labels/:uuid',
    { allow: update, grants: false, record: labels.lock, message: 'Label deleted.' },
    async (ctx, { record }) => labels.remove(ctx, record),
  ),
  get('/labels/:uuid/messages', { allow, query: messageList.query, page: MessageItem }, async (ctx, { uuid, query }) => {
    const { id } = await labels.find(ctx, uuid)
    const labelled = sql<boolean>`email_messages.id in (
      select message_id from email_message_labels where tenant_id = ${ctx.tenant.id} and label_id = ${id})`
    return pageOf(ctx, query, { only: labelled })
  }),
  put(
    '/messages/:uuid/labels',
    {
      allow: update,
      grants: false,
      record: messages.lock,
      body: LabelsBody,
      reply: Message,
      message: 'Labels saved.',
      description: 'Replaces the labels of a message by those that are sent.',
    },
    async (ctx, { uuid, record, body }) => {
      await replaceLabels(ctx, record, body.label_uuids)
      return messages.show(ctx, uuid)
    },
  ),
]
