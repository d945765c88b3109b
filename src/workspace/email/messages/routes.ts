import { z } from 'zod'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { isHead } from '#kernel/http/head.ts'
import { workspace } from '#kernel/http/route.ts'
import { checkIfMatch } from '#kernel/http/validators.ts'
import { JsonText } from '#kernel/records/view.ts'
import { id, queryFlag } from '#kernel/values/fields.ts'
import { accounts } from '../accounts/accounts.ts'
import { addFile, attachmentRule, removeFileOf } from '../compose/attaching.ts'
import { Compose, composeDraft } from '../compose/drafts.ts'
import { queueDraft } from '../compose/outbox.ts'
import { MailServerError } from '../connections/failures.ts'
import { markLooked } from '../watch.ts'
import { BulkBody, BulkResult, changeMany } from './bulk.ts'
import { ChangeMessage, changeMessage, LinkBody, linkMessage, removeMessage, UnlinkBody, unlinkMessage } from './changes.ts'
import { downloadAttachment, FILE_TYPE, fetchBody, needsBody, placeOf } from './content.ts'
import { framed } from './frame.ts'
import { messageList, messages, messagesBeside, SearchQuery, searchMessages } from './messages.ts'
import { cleanHtml, withCleanHtml } from './sanitising.ts'
import { Message, MessageItem } from './schema.ts'

/** Body without an uploaded file. A form sends a number as text, and none as an empty one. */
const AddAttachment = z.object({
  document_id: z
    .preprocess(
      (value) => (value === '' ? null : typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
      id().nullish(),
    )
    .meta({ description: 'A document that the actor may see.' }),
})

const { get, post, del, multiTransaction } = workspace
const view = 'email.view'
const update = 'email.update'
const found = { allow: update, record: messages.lock, reply: Message } as const

export const messageRoutes = [
  get(
    '/accounts/:uuid/messages/search',
    {
      operation: 'searchEmailMessages',
      description: 'Answers a page of the account’s messages that contain the text in subject, people or body.',
      summary: 'Search the messages of an email account',
      allow: view,
      query: SearchQuery,
      page: MessageItem,
    },
    async (ctx, { uuid, query }) => {
      const { id } = await accounts.find(ctx, uuid)
      return searchMessages(ctx, id, query)
    },
  ),
  multiTransaction.post(
    '/messages/compose',
    {
      operation: 'composeEmailMessage',
      description: 'Writes a draft. It leaves with `send`.',
      summary: 'Write a message',
      allow: 'email.create',
      grants: false,
      body: Compose,
      reply: Message,
      status: 201,
      message: 'Draft created.',
    },
    async (steps, { body }) => {
      const clean = await withCleanHtml(steps, body, 'wait')
      return steps.finish(async (ctx) => messages.show(ctx, (await composeDraft(ctx, clean)).uuid))
    },
  ),
  multiTransaction.post(
    '/messages/bulk',
    {
      operation: 'changeEmailMessages',
      description:
        'Deletes, moves, flags or labels up to 25 messages of the caller. Each succeeds or fails alone; 422 where all fail.',
      summary: 'Do the same with several messages',
      allow: [update, 'email.delete'],
      grants: false,
      body: BulkBody,
      reply: BulkResult,
      message: 'Messages changed.',
    },
    (steps, { body }) => changeMany(steps, body),
  ),
  multiTransaction.get(
    '/messages/:uuid',
    {
      allow: view,
      query: z.object({ remote_images: queryFlag().optional() }),
      description: 'Answers a message with its body, which is fetched from the mail server where it was not yet.',
      reply: Message,
    },
    async (steps, { uuid, query }) => {
      await fetchWhereMissing(steps, uuid)
      const shown = await steps.read((ctx) => messages.show(ctx, uuid))
      return query.remote_images ? loadingImages(steps, shown) : shown
    },
  ),
  get(
    '/messages/:uuid/thread',
    {
      operation: 'listEmailThread',
      summary: 'List a conversation',
      description:
        'Answers a page of the messages that belong together with this one, itself among them, in all folders of its mailbox.',
      allow: view,
      query: messageList.query,
      page: MessageItem,
    },
    (ctx, { uuid, query }) => messagesBeside(ctx, uuid, query),
  ),
  multiTransaction.get(
    '/messages/:uuid/page',
    {
      operation: 'showEmailMessagePage',
      summary: 'Show a message as a page',
      description:
        'The body as a page of its own, for a sandboxed frame of the same origin: its policy runs no scripts and loads nothing but the pictures that the message brings with it, and with `remote_images` those that it names elsewhere.',
      allow: view,
      query: z.object({ remote_images: queryFlag().optional() }),
      file: 'text/html',
    },
    async (steps, { uuid, query }) => {
      await fetchWhereMissing(steps, uuid)
      return framed(steps, uuid, query.remote_images ?? false)
    },
  ),
  multiTransaction.get(
    '/messages/:uuid/attachments/:key',
    { allow: view, description: 'Answers an attachment, fetched from the mail server.', file: FILE_TYPE },
    (steps, { uuid, key }) => downloadAttachment(steps, uuid, key),
  ),
  multiTransaction.post(
    '/messages/:uuid/attachments',
    {
      operation: 'addEmailAttachment',
      summary: 'Attach a file to a draft',
      description: 'A file as multipart, or a copy of one of the firm’s documents by `document_id`.',
      allow: update,
      grants: false,
      record: messages.find,
      upload: { file: attachmentRule },
      body: AddAttachment,
      reply: Message,
      status: 201,
      message: 'File attached.',
    },
    (steps, { uuid, body, files }) => addFile(steps, uuid, body.document_id ?? undefined, files.file),
  ),
  del(
    '/messages/:uuid/attachments/:key',
    {
      operation: 'removeEmailAttachment',
      summary: 'Take a file out of a draft',
      allow: update,
      grants: false,
      record: messages.lock,
      reply: Message,
      message: 'File removed.',
    },
    async (ctx, { uuid, key, record }) => {
      await removeFileOf(ctx, record, key)
      return messages.show(ctx, uuid)
    },
  ),
  multiTransaction.put(
    '/messages/:uuid',
    {
      grants: false,
      ...found,
      record: messages.find,
      body: ChangeMessage,
      message: 'Message saved.',
      description:
        'Changes flags or folder of a message, or the texts of a draft. Flags and folders are changed on the mail server too.',
    },
    async (steps, { uuid, body, headers }) => {
      const clean = await withCleanHtml(steps, body, 'wait')
      return steps.finish(async (ctx) => {
        const message = await messages.lock(ctx, uuid)
        checkIfMatch(headers['if-match'], message)
        await changeMessage(ctx, message, clean)
        return messages.show(ctx, uuid)
      })
    },
  ),
  post(
    '/messages/:uuid/send',
    {
      grants: false,
      ...found,
      message: 'Message queued.',
      description: 'Sends a draft by the account’s SMTP server, as soon as possible. `status` tells what became of it.',
    },
    async (ctx, { uuid, record }) => {
      await queueDraft(ctx, record)
      return messages.show(ctx, uuid)
    },
  ),
  multiTransaction.del(
    '/messages/:uuid',
    {
      allow: 'email.delete',
      grants: false,
      reply: z
        .object({ permanent: z.boolean().describe('true: it is deleted for good; false: it lies in the mailbox’s trash.') })
        .meta({ id: 'DeletedEmail' }),
      message: 'Message deleted.',
      description: 'Moves the message to the mailbox’s own trash; from there, or where there is none, deletes it for good.',
    },
    async (steps, { uuid }) => {
      const place = await steps.read(async (ctx) => placeOf(ctx, await messages.find(ctx, uuid)))
      return { permanent: await removeMessage(steps, place) }
    },
  ),
  post(
    '/messages/:uuid/link',
    {
      grants: false,
      ...found,
      body: LinkBody,
      message: 'Message linked.',
      description: 'Links the message to a lead, contact, company or opportunity that the caller may see.',
    },
    async (ctx, { uuid, record, body }) => {
      await linkMessage(ctx, record, body)
      return messages.show(ctx, uuid)
    },
  ),
  del(
    '/messages/:uuid/link',
    { grants: false, ...found, body: UnlinkBody, message: 'Link removed.', description: 'Removes a link of the message.' },
    async (ctx, { uuid, record, body }) => {
      await unlinkMessage(ctx, record, body)
      return messages.show(ctx, uuid)
    },
  ),
]

/**
 * Fetches the body if it is missing; it is stored unless the server fails. HEAD doesn't contact the server: 404 if the message
 * doesn't exist.
 */
async function fetchWhereMissing(steps: WorkspaceSteps, uuid: string) {
  const place = await steps.read(async (ctx) => {
    const message = await messages.find(ctx, uuid)
    markLooked(ctx, message.account_id)
    return placeOf(ctx, message)
  })
  if (!isHead(steps.request) && needsBody(place.message)) await fetchBody(steps, place).catch(leaveUnfetched)
}

/** If the server fails, the body stays null (EML-29); the next request tries again. */
function leaveUnfetched(error: unknown) {
  if (!(error instanceof MailServerError)) throw error
}

async function loadingImages(steps: WorkspaceSteps, { text, etag }: JsonText) {
  const message = JSON.parse(text) as { body_html: string | null }
  const body_html = message.body_html && (await cleanHtml(steps, 'remote_images', message.body_html, 'load'))
  return new JsonText(JSON.stringify({ ...message, body_html }), etag)
}
