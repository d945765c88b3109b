/** Stored files of messages that are written here. */
import { sql } from 'kysely'
import { type Ctx, inPublic, originOf, type Services } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { discardFile } from '#kernel/storage/uploads.ts'
import { enterWorkspace } from '#kernel/tenancy/session.ts'

// Prefix of an attachment's key for a stored file. Attachments on the server have part numbers.

const PREFIX = 'file-'
/** Key of the attachment for a stored file, and the conversions back. */
export const keyOf = (id: number) => `${PREFIX}${id}`
export const isOurFile = (key: string) => key.startsWith(PREFIX)
export const idOf = (key: string) => Number(key.slice(PREFIX.length)) || 0

/** Returns the stored files of a message. */
export const filesOf = (ctx: Ctx, messageId: number) =>
  ctx
    .from('email_message_files')
    .select(['id', 'name', 'mime', 'file_key'])
    .where('message_id', '=', messageId)
    .orderBy('id')
    .execute()

export type OurFile = Awaited<ReturnType<typeof filesOf>>[number]

/** Returns the storage key of one of the files. */
export const storageKeyOf = (files: OurFile[], key: string) => files.find(({ id }) => id === idOf(key))?.file_key

const SWEPT = 500

/**
 * Hourly job that deletes files of messages that no longer exist, or that are complete on their server and have no recipient left
 * to send to.
 */
export const sweepMessageFiles = defineJob({
  name: 'email-files-sweep',
  schedule: '17 * * * *',
  run: (services) => sweep(services),
})

const sweep = (services: Services) =>
  inPublic(originOf(services), 'write', async (across) => {
    const { rows } = await sql<{ tenant_id: number; id: number; file_key: string }>`
      select f.tenant_id, f.id, f.file_key from email_message_files f
      left join email_messages m on m.tenant_id = f.tenant_id and m.id = f.message_id
      where m.id is null or not m.attachments @> jsonb_build_array(jsonb_build_object('id', ${PREFIX}::text || f.id))
        and not jsonb_path_exists(m.rejected, '$[*] ? (@.state == "deferred" || @.state == "unknown")') limit ${SWEPT}`.execute(
      across.tx,
    )
    for (const { tenant_id, id, file_key } of rows)
      await enterWorkspace(across, tenant_id, async (ctx) => {
        await ctx.deleteFrom('email_message_files').where('id', '=', id).execute()
        await discardFile(ctx, file_key)
      })
  })
