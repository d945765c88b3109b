/** Attachments that Outlook packed into one, `winmail.dat`: they replace it when the message is first displayed. */
import { buffer } from 'node:stream/consumers'
import type { WorkspaceSteps } from '#kernel/context.ts'
import { isBeyondReading, isolated } from '#kernel/isolate/isolated.ts'
import { failureOf } from '../connections/failures.ts'
import type { Mailbox } from '../connections/mailbox.ts'
import type { Body, fileOfWinmail, PackedFile, readWinmail } from './read-body.ts'
import type { Attachment } from './schema.ts'
import { attachmentOf, MAX_FILES } from './structure.ts'

/** Maximum bytes of a winmail.dat, which is read as a whole; a larger one stays an attachment. */
const MAX_BYTES = 32 << 20
const MAX_WRAPPED = 5

/** Separates the server's name of the part from the number of the file inside. */
const INSIDE = '~'

const LIMITS = { seconds: 10, megabytes: 700 }
const readBy = import.meta.resolve('./read-body.ts')
const readOne = isolated<typeof readWinmail>(readBy, 'readWinmail', LIMITS)
const fileOf = isolated<typeof fileOfWinmail>(readBy, 'fileOfWinmail', LIMITS)

const isWinmail = ({ name, mime }: Attachment) => /^application\/(vnd\.)?ms-tnef$/.test(mime) || /^winmail\.dat$/i.test(name)

type Reader = Pick<WorkspaceSteps, 'services' | 'tenant'>

/** Attachments and text of unpacked winmail.dat files. */
export interface Unpacked {
  attachments: Attachment[]
  body: Body | undefined
}

/**
 * Returns the message's attachments with packed files unpacked, and the text found in them; undefined if no attachment contains
 * readable ones.
 */
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

/** Returns the content of a packed file by its `id`. */
export async function unpackOne({ services, tenant }: Reader, mailbox: Mailbox, uid: number, id: string) {
  const [part, n] = id.split(INSIDE)
  const bytes = await download(mailbox, uid, part!)
  const content = bytes && (await fileOf(services, tenant.id, { bytes, n: Number(n) }).catch(unread))
  return content && Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

/** Whether an attachment's id refers to a file inside another attachment. */
export const isInside = (id: string) => id.includes(INSIDE)

/** An unreadable winmail.dat stays an attachment. */
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
