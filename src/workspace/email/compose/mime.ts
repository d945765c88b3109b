/** Composes messages for sending, in a child process, because users write large ones. */
import type { Services } from '#kernel/context.ts'
import { isolated } from '#kernel/isolate/isolated.ts'
import type { MessageRow } from '../messages/messages.ts'
import type { Person } from '../messages/schema.ts'
import type { composeMime } from './composing.ts'
import type { OurFile } from './stored-files.ts'

const inChild = isolated<typeof composeMime>(import.meta.resolve('./composing.ts'), 'composeMime', {
  seconds: 20,
  megabytes: 500,
})

async function contentOf({ storage }: Services, { name, mime, file_key }: OurFile) {
  const content = await storage.get(file_key)
  if (!content) throw new Error(`The file ${file_key} of a message is gone.`)
  return { name, mime, content }
}

const peopleOf = (some: unknown) => (some as Person[]).map(({ email, name }) => ({ address: email, name: name ?? '' }))

/** Returns the distinct addresses of all recipients. */
export const peopleIn = ({ to, cc, bcc }: Pick<MessageRow, 'to' | 'cc' | 'bcc'>): string[] => [
  ...new Set([to, cc, bcc].flatMap((some) => peopleOf(some).map(({ address }) => address))),
]

/** Returns a message with its files as bytes. Recipients get it without Bcc; the copy in the mailbox's folders keeps Bcc. */
export async function mimeOf(
  services: Services,
  message: MessageRow,
  files: OurFile[],
  { keepBcc }: { keepBcc: boolean },
): Promise<Buffer> {
  const { tenant_id, subject, body_html, body_text, message_id, date, in_reply_to, reference_ids } = message
  const bytes = await inChild(services, tenant_id, {
    from: peopleOf([message.from])[0]!,
    to: peopleOf(message.to),
    cc: peopleOf(message.cc),
    bcc: peopleOf(message.bcc),
    subject,
    body_html,
    body_text,
    message_id,
    date,
    in_reply_to,
    reference_ids,
    keepBcc,
    files: await Promise.all(files.map((file) => contentOf(services, file))),
  })
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
