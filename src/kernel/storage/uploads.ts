/**
 * States of an uploaded file: `pending` before its first byte is stored, `kept` from the transaction that uses it, `discarded`
 * when it is no longer used. `sweepFiles` deletes what a crash leaves behind.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { BaseCtx, Ctx, Services } from '../context.ts'
import type { Tx } from '../database/connect.ts'
import { conflict, HttpError } from '../errors.ts'

/** Rule for a file field of a multipart body. */
export interface UploadRule {
  maxBytes: number
  /** Accepted types as `file-type` names them (extensions), detected from the first bytes. Default: any. */
  kinds?: readonly string[]
  /** Type of the file if the route knows it. Skips the detection. */
  is?: { ext: string; mime: string }
  /** Message for other types: 'Must be …'. */
  expected?: string
  /** Set in the API documents if the route rejects a request without the file, so that JSON isn't accepted. */
  required?: true
  /** Status for a file above `maxBytes`: 413 aborts the upload (default), 422 names the field. */
  tooLarge?: 413 | 422
}

/** Stored upload. It is deleted unless `keepUpload` is called before the request ends. */
export interface Upload {
  tenantId: number
  key: string
  /** Client's file name: NFC, without path and control characters, at most 255 characters. */
  name: string
  /** Extension and MIME type detected from the first bytes. Text has neither. */
  kind: string | undefined
  mime: string
  /** Whether the first bytes are text, in UTF-8 or a charset that extends ASCII. */
  isText: boolean
  bytes: number
  /** Hexadecimal. */
  sha256: string
  /** Whether the transaction that uses it is committed. */
  kept: boolean
}

/** Enough to detect office documents, whose first entry may be long. */
const SNIFFED_BYTES = 64 * 1024

/**
 * Streams content into storage, measuring and hashing it. Returns the upload, or a message if the file is invalid, in which case
 * it has been read to its end. Throws a 413 if the rule says so. A failure leaves neither file nor row.
 */
export async function receiveUpload(
  services: Services,
  tenantId: number,
  given: { name: string; content: AsyncIterable<Buffer> },
  rule: UploadRule,
): Promise<Upload | string> {
  const { head, whole } = await peek(given.content, SNIFFED_BYTES)
  const { fileTypeFromBuffer } = await import('file-type')
  const sniffed = rule.is ?? (await fileTypeFromBuffer(head))
  const hash = createHash('sha256')
  let bytes = 0
  async function* measured() {
    for await (const chunk of whole) {
      bytes += chunk.length
      if (bytes > mostBytes(rule)) throw payloadTooLarge()
      if (bytes > rule.maxBytes) continue // read to the end, so that later fields are parsed
      hash.update(chunk)
      yield chunk
    }
  }
  if (!head.length || (rule.kinds && !rule.kinds.includes(sniffed?.ext ?? ''))) {
    for await (const _ of measured());
    return head.length ? `Must be ${rule.expected ?? `one of ${rule.kinds!.join(', ')}`}.` : 'Must not be empty.'
  }

  const random = randomBytes(16).toString('hex')
  const key = `${folderOf(tenantId)}/${random.slice(0, 2)}/${random}${sniffed ? `.${sniffed.ext}` : ''}`
  const mime = sniffed?.mime ?? 'application/octet-stream'
  await apart(services, tenantId, (tx) =>
    tx.insertInto('stored_files').values({ tenant_id: tenantId, key, mime, created_at: services.clock.now() }).execute(),
  )
  const upload = { tenantId, key, name: cleanName(given.name), kind: sniffed?.ext, mime, isText: isText(head), kept: false }
  try {
    await services.storage.write(key, measured())
  } catch (error) {
    await discardUnused(services, [{ ...upload, bytes, sha256: '' }])
    throw error
  }
  const stored = { ...upload, bytes, sha256: hash.digest('hex') }
  if (bytes <= rule.maxBytes) return stored
  await discardUnused(services, [stored])
  return `Must be at most ${inWords(rule.maxBytes)}.`
}

/** Maximum number of bytes read of a file. With a 422 rule, a somewhat larger file is a 422 and a far larger one a 413. */
export const mostBytes = ({ maxBytes, tooLarge }: UploadRule) => (tooLarge === 422 ? 4 * maxBytes : maxBytes)

export const payloadTooLarge = () => new HttpError(413, 'PAYLOAD_TOO_LARGE', 'The file is too large.')

const inWords = (bytes: number) =>
  bytes >= 1024 * 1024 ? `${Math.floor(bytes / 1024 / 1024)} MB` : `${Math.floor(bytes / 1024)} KB`

const cleanName = (name: string) =>
  name
    .normalize('NFC')
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
    .slice(-255) // keeps the end, where the extension is
    .toWellFormed() || 'file'

/** Returns whether bytes are text: no control characters except tabs, line feeds, form feeds and the like. */
const isText = (bytes: Buffer) => !bytes.some((byte) => byte < 0x20 && (byte < 0x09 || byte > 0x0d))

/** Splits content into its first bytes and the whole. Leaving the whole early doesn't close the source. */
async function peek(content: AsyncIterable<Buffer>, least: number) {
  const source = content[Symbol.asyncIterator]()
  const first: Buffer[] = []
  for (let length = 0; length < least; length += first.at(-1)!.length) {
    const next = await source.next()
    if (next.done) break
    first.push(next.value)
  }
  async function* whole() {
    yield* first.splice(0)
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  }
  return { head: Buffer.concat(first), whole: whole() }
}

/** Makes an upload permanent within the transaction: `await keepUpload(ctx, files.logo)`, then store its `key`. */
export async function keepUpload(ctx: BaseCtx, upload: Upload) {
  const { numUpdatedRows } = await ctx.tx
    .updateTable('stored_files')
    .set({ state: 'kept', bytes: upload.bytes, sha256: Buffer.from(upload.sha256, 'hex') })
    .where('tenant_id', '=', upload.tenantId)
    .where('key', '=', upload.key)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow()
  if (!numUpdatedRows) throw conflict('The upload took too long. Send it again.')
  ctx.afterCommit(() => void (upload.kept = true))
}

/** Discards a file within the transaction. It is deleted after the commit. No error if it doesn't exist. */
export async function discardFile(ctx: BaseCtx, key: string) {
  const tenant_id = (ctx as Partial<Ctx>).tenant?.id ?? 0
  await ctx.tx
    .insertInto('stored_files')
    .values({ tenant_id, key, state: 'discarded', created_at: ctx.now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'key']).doUpdateSet({ state: 'discarded' }))
    .execute()
  ctx.afterCommit(() => removeFile(ctx.services, tenant_id, key))
}

/**
 * Deletes a request's uploads that no committed transaction has kept, according to the database. Failures are left to the sweep.
 */
export async function discardUnused(services: Services, uploads: Upload[]) {
  for (const { tenantId, key, kept } of uploads) {
    if (kept) continue
    try {
      if (await markDiscarded(services, tenantId, key)) await removeFile(services, tenantId, key)
    } catch (error) {
      services.log.warn({ err: error, key }, 'upload left to the sweep')
    }
  }
}

/** Marks a pending file as discarded. Returns whether it was pending. */
export async function markDiscarded(services: Services, tenantId: number, key: string) {
  const { numUpdatedRows } = await apart(services, tenantId, (tx) =>
    tx
      .updateTable('stored_files')
      .set({ state: 'discarded' })
      .where('tenant_id', '=', tenantId)
      .where('key', '=', key)
      .where('state', '=', 'pending')
      .executeTakeFirstOrThrow(),
  )
  return numUpdatedRows > 0n
}

/** Returns the folder of a workspace's files; 0 is the platform. */
export const folderOf = (tenantId: number) => (tenantId ? `workspaces/${tenantId}` : 'platform')

/** Deletes a discarded file, then its row: in this order, so that a crash in between leaves a trace. */
export async function removeFile(services: Services, tenantId: number, key: string) {
  await services.storage.delete(key)
  await apart(services, tenantId, (tx) =>
    tx
      .deleteFrom('stored_files')
      .where('tenant_id', '=', tenantId)
      .where('key', '=', key)
      .where('state', '=', 'discarded')
      .execute(),
  )
}

/** Runs work in its own transaction of the file's workspace, or of the platform. */
const apart = <T>({ database }: Services, tenantId: number, work: (tx: Tx) => Promise<T>) =>
  tenantId ? database.workspace(tenantId, 'write', work) : database.platform('write', work)
