/** Attaches files to a draft: uploads, or copies of the workspace's documents. Each message has its own copies. */
import type { Ctx, WorkspaceSteps } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { discardFile, discardUnused, keepUpload, receiveUpload, type Upload, type UploadRule } from '#kernel/storage/uploads.ts'
import { readableDocument } from '#workspace/documents/public.ts'
import { type MessageRow, messages } from '../messages/messages.ts'
import type { Attachment } from '../messages/schema.ts'
import { refuseUneditable, touchDraft } from './drafts.ts'
import { idOf, keyOf } from './stored-files.ts'

/** Maximum size that mail servers commonly accept, once encoded in base64. */
const MAX_BYTES = 18 * 1024 * 1024
const MAX_FILES = 20
/** Maximum total of the stored files of an account's messages. */
const MAX_ACCOUNT_BYTES = 500 * 1024 * 1024

export const attachmentRule: UploadRule = { maxBytes: MAX_BYTES }

/**
 * Adds an uploaded file, or a copy of a document, to a draft. 422 on `file` and `document_id` for both, neither, too large or too
 * many.
 */
export async function addFile(
  steps: WorkspaceSteps,
  uuid: string,
  document_id: number | undefined,
  uploaded: Upload | undefined,
) {
  if ((uploaded === undefined) === (document_id === undefined))
    throw invalid({ file: 'Send a file, or the document_id of one of the firm’s documents.' })
  const copied = uploaded ?? (await copyOf(steps, document_id!))
  try {
    return await steps.finish(async (ctx) => {
      await attach(ctx, uuid, copied, uploaded ? 'file' : 'document_id')
      return messages.show(ctx, uuid)
    })
  } finally {
    if (!uploaded) await discardUnused(steps.services, [copied])
  }
}

async function copyOf(steps: WorkspaceSteps, documentId: number): Promise<Upload> {
  const document = await steps.read((ctx) => readableDocument(ctx, documentId))
  if (!document) throw invalid({ document_id: 'There is no such document that you may see.' })
  if (document.size_bytes > MAX_BYTES) throw invalid({ document_id: TOO_LARGE })
  const content = await steps.services.storage.read(document.file_key)
  if (!content) throw notFound('The file of this document is gone.')
  const rule = { ...attachmentRule, is: { ext: document.file_key.split('.').at(-1)!, mime: document.mime } }
  const copied = await receiveUpload(steps.services, steps.tenant.id, { name: document.original_name, content }, rule)
  if (typeof copied === 'string') throw invalid({ document_id: copied })
  return copied
}

const TOO_LARGE = `The files of a message may have ${MAX_BYTES / 1024 / 1024} MB together.`

async function attach(ctx: Ctx, uuid: string, upload: Upload, field: 'file' | 'document_id') {
  const draft = await messages.lock(ctx, uuid)
  refuseUneditable(draft)
  const files = filesIn(draft)
  const refuse = (message: string) => invalid({ [field]: message })
  if (files.length >= MAX_FILES) throw refuse(`A message has at most ${MAX_FILES} files.`)
  if (files.reduce((sum, { size_bytes }) => sum + size_bytes, upload.bytes) > MAX_BYTES) throw refuse(TOO_LARGE)
  const { kept } = await ctx
    .from('email_message_files')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('size_bytes'), eb.lit(0)).as('kept'))
    .where('account_id', '=', draft.account_id)
    .executeTakeFirstOrThrow()
  if (Number(kept) + upload.bytes > MAX_ACCOUNT_BYTES)
    throw refuse('The drafts of this account hold too many files. Send or delete some.')
  await keepUpload(ctx, upload)
  const mime = mimeOf(upload)
  const { id } = await ctx.tx
    .insertInto('email_message_files')
    .values({
      ...{ tenant_id: ctx.tenant.id, account_id: draft.account_id, message_id: draft.id },
      ...{ name: upload.name, mime, size_bytes: upload.bytes, file_key: upload.key, created_at: ctx.now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { name, bytes: size_bytes } = upload
  await touchDraft(ctx, draft, [...files, { id: keyOf(id), name, mime, size_bytes, is_inline: false, content_id: null }])
}

/** Types of text files by their extension, because their bytes don't reveal them. */
const TEXTS: Record<string, string> = { csv: 'text/csv', txt: 'text/plain' }

const mimeOf = ({ kind, isText, name, mime }: Upload) =>
  (kind === undefined && isText && TEXTS[name.toLowerCase().split('.').at(-1)!]) || mime

/** Removes a file from a draft; 404 if the draft has no such file. */
export async function removeFileOf(ctx: Ctx, draft: MessageRow, key: string) {
  refuseUneditable(draft)
  const files = filesIn(draft)
  if (!files.some(({ id }) => id === key)) throw notFound('There is no such attachment.')
  const gone = await ctx
    .deleteFrom('email_message_files')
    .where('message_id', '=', draft.id)
    .where('id', '=', idOf(key))
    .returning('file_key')
    .executeTakeFirst()
  if (gone) await discardFile(ctx, gone.file_key)
  await touchDraft(
    ctx,
    draft,
    files.filter(({ id }) => id !== key),
  )
}

const filesIn = ({ attachments }: MessageRow) => attachments as unknown as Attachment[]
