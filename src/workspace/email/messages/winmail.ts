/** Attachments that Outlook wrapped into one, `winmail.dat`: they take its place when the message is first shown. */
import { buffer } from 'node:stream/consumers'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { failureOf } from '../connections/failures.ts'
import type { Mailbox } from '../connections/mailbox.ts'
import type { Body, fileOfWinmail, PackedFile, readWinmail } from './read-body.ts'
import type { Attachment } from './schema.ts'
import { attachmentOf, MAX_FILES } from './structure.ts'

/** Of one, in bytes: it is read as a whole. A larger one stays as it is. */
const MAX_BYTES = 32 << 20
const MAX_WRAPPED = 5

/** Stands between the part that the server knows and the number of the file inside. */
const INSIDE = '~'

const LIMITS = { seconds: 10, megabytes: 700 }
const readBy = import.meta.resolve('./read-body.ts')
const readOne = isolated<typeof readWinmail>(readBy, 'readWinmail', LIMITS)
const fileOf = isolated<typeof fileOfWinmail>(readBy, 'fileOfWinmail', LIMITS)

const isWinmail = ({ name, mime }: Attachment) => /^application\/(vnd\.)?ms-tnef$/.test(mime) || /^winmail\.dat$/i.test(name)

type Reader = Pick<WorkspaceSteps, 'services' | 'tenant'>

export interface Unpacked {
  attachments: Attachment[]
  body: Body | undefined
}

/** The attachments of a message, and the text found in them. Undefined: nothing is wrapped in another that can be read. */
export async function unpackWinmail(
  { services, tenant }: Reader,
  mailbox: Mailbox,
  uid: number,
  attachments: Attachment[],
): Promise<Unpacked | undefined> {
  const inside = new Map<Attachment, NonNullable<ReturnType<typeof readWinmail>>>()
  for (const one of attachments.filter(isWinmail).slice(0, MAX_WRAPPED)) {
    const bytes = await download(mailbox, uid, one.id)
    const read = bytes && (await readOne(services, tenant.id, bytes).catch(unread))
    if (read) inside.set(one, read)
  }
  if (!inside.size) return undefined
  const shown = attachments.flatMap((one) => {
    const files = (inside.get(one)?.files ?? []).map((file, n) => packedFile(one, file, n))
    return files.length ? files : [one]
  })
  const body = [...inside.values()].map((one) => one.body).find(({ body_html, body_text }) => body_html || body_text)
  return { attachments: shown.slice(0, MAX_FILES), body }
}

/** Its bytes, where `id` is that of a file inside another. */
export async function unpackOne({ services, tenant }: Reader, mailbox: Mailbox, uid: number, id: string) {
  const [part, n] = id.split(INSIDE)
  const bytes = await download(mailbox, uid, part!)
  const content = bytes && (await fileOf(services, tenant.id, { bytes, n: Number(n) }).catch(unread))
  return content && Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

export const isInside = (id: string) => id.includes(INSIDE)

/** One that can't be read stays an attachment. */
function unread(error: unknown): undefined {
  if (!isBeyondReading(error)) throw error
}

async function download(mailbox: Mailbox, uid: number, part: string): Promise<Buffer | undefined> {
  const content = await mailbox.download(uid, part, MAX_BYTES + 1)
  const bytes =
    content &&
    (await buffer(content).catch((error) => {
      throw failureOf('imap', error)
    }))
  return bytes && bytes.length <= MAX_BYTES ? bytes : undefined
}

const packedFile = ({ id }: Attachment, { name, mime, contentId, size }: PackedFile, n: number): Attachment =>
  attachmentOf({
    id: `${id}${INSIDE}${n}`,
    name,
    type: mime,
    size,
    contentId,
    isInline: Boolean(contentId),
    n: n + 1,
  })
