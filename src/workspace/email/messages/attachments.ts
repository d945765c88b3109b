/** Attachments stay on the server: a download is a stream from there. */
import { finished, Readable } from 'node:stream'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { notFound } from '#kernel/errors.ts'
import type { FileReply } from '#kernel/http/answer.ts'
import { serverOf } from '../connections/credentials.ts'
import { openMailbox } from '../connections/mailbox.ts'
import { openPlace, type Place, placeOf } from './bodies.ts'
import { messages } from './messages.ts'
import type { Attachment } from './schema.ts'
import { isInside, unpackOne } from './winmail.ts'

/** Types that a browser may be told. Others are bytes to it. */
export const FILE_TYPE = 'application/octet-stream'

/** What is told of it (HEAD) is known here; its server is asked for the content alone. */
export async function downloadAttachment(steps: WorkspaceSteps, uuid: string, part: string): Promise<FileReply> {
  const place = await steps.read(async (ctx) => placeOf(ctx, await messages.find(ctx, uuid)))
  const attachment = (place.message.attachments as unknown as Attachment[]).find(({ id }) => id === part)
  if (!attachment) throw notFound('There is no such attachment.')
  return { name: attachment.name, type: FILE_TYPE, content: () => contentOf(steps, place, part) }
}

/** The connection is kept until a stream ends. 404 where the server has the message no more. */
async function contentOf(steps: WorkspaceSteps, place: Place, part: string): Promise<Readable | Buffer> {
  const { services } = steps
  const mailbox = await openMailbox(services, serverOf(services, place.account, 'imap'), { task: 'download' })
  try {
    const uid = await openPlace(mailbox, place)
    const content =
      uid === undefined ? undefined : await (isInside(part) ? unpackOne(steps, mailbox, uid, part) : mailbox.download(uid, part))
    if (!content) throw notFound('The message is not on the server any more.')
    if (content instanceof Readable) finished(content, () => void mailbox.close())
    else await mailbox.close()
    return content
  } catch (error) {
    await mailbox.close()
    throw error
  }
}
