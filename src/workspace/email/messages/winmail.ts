/** Attachments that Outlook wrapped into one, `winmail.dat`: they take its place when the message is first shown. */
import { buffer } from 'node:stream/consumers'
import { plainOf, sanitizeHtml } from '#kernel/values/html.ts'
import { failureOf } from '../connections/failures.ts'
import type { Mailbox } from '../connections/mailbox.ts'
import { harmlessHtml } from './display.ts'
import { textOfRtf } from './rtf.ts'
import type { Attachment } from './schema.ts'
import { attachmentOf, MOST_FILES } from './structure.ts'
import { readTnef, type Tnef } from './tnef.ts'

/** Of one, in bytes: it is read as a whole. A larger one stays as it is. */
const MOST_BYTES = 32 << 20
const MOST_WRAPPED = 5
const MOST_TEXT = 1 << 20

/** Stands between the part that the server knows and the number of the file inside. */
const INSIDE = '~'

const isWinmail = ({ name, mime }: Attachment) => /^application\/(vnd\.)?ms-tnef$/.test(mime) || /^winmail\.dat$/i.test(name)

export interface Unpacked {
  attachments: Attachment[]
  bodies: { body_html: string; body_text: string } | undefined
}

/** The attachments of a message, and the text found in them. Undefined: nothing is wrapped in another. */
export async function unpackWinmail(mailbox: Mailbox, uid: number, attachments: Attachment[]): Promise<Unpacked | undefined> {
  const inside = new Map<Attachment, Tnef>()
  for (const one of attachments.filter(isWinmail).slice(0, MOST_WRAPPED)) {
    const tnef = await readPart(mailbox, uid, one.id)
    if (tnef) inside.set(one, tnef)
  }
  if (!inside.size) return undefined
  const shown = attachments.flatMap((one) => {
    const files = filesOf(one, inside.get(one))
    return files.length ? files : [one]
  })
  const found = [...inside.values()].map(bodiesOf).find(({ body_html, body_text }) => body_html || body_text)
  return { attachments: shown.slice(0, MOST_FILES), bodies: found }
}

/** Its bytes, where `id` is that of a file inside another. */
export async function unpackOne(mailbox: Mailbox, uid: number, id: string): Promise<Buffer | undefined> {
  const [part, n] = id.split(INSIDE)
  return (await readPart(mailbox, uid, part!))?.files[Number(n)]?.content
}

export const isInside = (id: string) => id.includes(INSIDE)

async function readPart(mailbox: Mailbox, uid: number, part: string): Promise<Tnef | undefined> {
  const content = await mailbox.download(uid, part, MOST_BYTES + 1)
  const bytes =
    content &&
    (await buffer(content).catch((error) => {
      throw failureOf('imap', error)
    }))
  return bytes && bytes.length <= MOST_BYTES ? readTnef(bytes) : undefined
}

const filesOf = ({ id }: Attachment, tnef: Tnef | undefined): Attachment[] =>
  (tnef?.files ?? []).map(({ name, mime, contentId, content }, n) =>
    attachmentOf({
      id: `${id}${INSIDE}${n}`,
      name,
      type: mime,
      size: content.length,
      contentId,
      isInline: Boolean(contentId),
      n: n + 1,
    }),
  )

function bodiesOf({ text = '', html = '', rtf }: Tnef) {
  const rich = html.slice(0, MOST_TEXT)
  const plain = (text || (rtf && !rich ? textOfRtf(rtf) : '')).slice(0, MOST_TEXT).trim()
  return { body_html: harmlessHtml(rich), body_text: (plain || plainOf(sanitizeHtml(rich))).toWellFormed() }
}
