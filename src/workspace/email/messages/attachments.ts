/** Attachments stay on the server: a download is a stream from there. */
import { finished, Readable } from 'node:stream'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import type { FileReply } from '#kernel/http/answer.ts'
import { serverOf } from '../connections/credentials.ts'
import { openMailbox } from '../connections/mailbox.ts'
import { openPlace, placeOf } from './bodies.ts'
import { messages } from './messages.ts'
import type { Attachment } from './schema.ts'
import { isInside, unpackOne } from './winmail.ts'

/** Types that a browser may be told. Others are bytes to it. */
export const FILE_TYPE = 'application/octet-stream'

export async function downloadAttachment(steps: WorkspaceSteps, uuid: string, part: string): Promise<FileReply> {
  const place = await steps.read(async (ctx) => placeOf(ctx, await messages.find(ctx, uuid)))
  const attachment = (place.message.attachments as unknown as Attachment[]).find(({ id }) => id === part)
  if (!attachment) throw notFound('There is no such attachment.')
  const mailbox = await openMailbox(steps.services, serverOf(steps.services, place.account, 'imap'))
  try {
    const uid = await openPlace(mailbox, place)
    const content =
      uid === undefined ? undefined : await (isInside(part) ? unpackOne(steps, mailbox, uid, part) : mailbox.download(uid, part))
    if (!content) throw notFound('The message is not on the server any more.')
    if (content instanceof Readable) finished(content, () => void mailbox.close())
    else await mailbox.close()
    return { name: attachment.name, type: FILE_TYPE, content: () => content }
  } catch (error) {
    await mailbox.close()
    throw error
  }
}
