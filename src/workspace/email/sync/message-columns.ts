/** Converts the server's data of a message to the columns of its row. */
import { createHash } from 'node:crypto'
import type { FetchMessageObject, MessageAddressObject } from 'imapflow'
import { plainOf, sanitizeHtml } from '#kernel/values/html.ts'
import type { Mailbox } from '../connections/mailbox.ts'
import { decodeText } from '../messages/decoding.ts'
import { type Attachment, MAX_PEOPLE, type Person } from '../messages/schema.ts'
import { cleanText, partsOf, type TextPart } from '../messages/structure.ts'

/** A message's metadata, as columns of its row. */
export interface Head {
  uid: number
  message_id: string
  in_reply_to: string | null
  reference_ids: string[]
  subject: string
  from: Person | null
  to: Person[]
  cc: Person[]
  bcc: Person[]
  reply_to: Person[]
  date: string
  size_bytes: number
  is_read: boolean
  is_starred: boolean
  is_answered: boolean
  is_forwarded: boolean
  snippet: string
  body_parts: TextPart[]
  attachments: Attachment[]
}

/** Maximum characters of the people of one header, which are searched and listed. */
const MAX_PEOPLE_TEXT = 100_000
const MAX_REFERENCES = 50
/** Maximum bytes of the headers that refer to other messages. */
const MAX_HEADERS = 1 << 18
const SNIPPET = 200

/** Converts a fetched message to columns; its snippet is added later. */
export function headOf({ uid, flags, envelope = {}, bodyStructure, internalDate, size = 0, headers }: FetchMessageObject): Head {
  const { texts, files } = partsOf(bodyStructure)
  const lines = linesOf(headers)
  const known = idsIn(lines)
  const in_reply_to = known['in-reply-to']?.[0] ?? null
  const subject = cleanText(envelope.subject ?? '', 998)
  const date =
    (isImpossible(lines.find(([name]) => name === 'date')?.[1]) ? undefined : dateOf(envelope.date)) ??
    dateOf(internalDate) ??
    new Date(0).toISOString()
  return {
    uid,
    message_id: messageIdOf(envelope.messageId) ?? madeUp(date, subject, envelope.from?.[0]?.address, size),
    in_reply_to,
    reference_ids: known.references ?? [],
    subject,
    from: people(envelope.from)[0] ?? named(envelope.from)[0] ?? null,
    to: people(envelope.to),
    cc: people(envelope.cc),
    bcc: people(envelope.bcc),
    reply_to: people(envelope.replyTo),
    date,
    size_bytes: size,
    is_read: flags?.has('\\Seen') ?? false,
    is_starred: flags?.has('\\Flagged') ?? false,
    ...answersIn(flags),
    snippet: '',
    body_parts: texts,
    attachments: files,
  }
}

/** RFC 3501, and the keyword of RFC 5788. */
export const answersIn = (flags: Set<string> | undefined) => ({
  is_answered: flags?.has('\\Answered') ?? false,
  is_forwarded: flags?.has('$Forwarded') ?? false,
})

type Line = [name: string, value: string]

/** Splits the fetched headers, unfolded, with names in lower case. */
function linesOf(headers: Buffer | undefined): Line[] {
  const unfolded = (headers?.toString('utf8', 0, MAX_HEADERS) ?? '').replace(/\r?\n[ \t]+/g, ' ')
  const lines = unfolded.split(/\r?\n/).map((line) => /^([\w-]+):(.*)$/.exec(line))
  return lines.flatMap((line): Line[] => (line ? [[line[1]!.toLowerCase(), line[2]!]] : []))
}

/** Returns the Message-IDs of each header. */
const idsIn = (lines: Line[]): Record<string, string[]> => Object.fromEntries(lines.map(([name, value]) => [name, idsOf(value)]))

/** Returns the last Message-IDs of a text. */
const idsOf = (text: string) => (text.match(/<[^<>\s]{1,900}>/g) ?? []).slice(-MAX_REFERENCES).map(storable)

const storable = (text: string) => text.toWellFormed().replaceAll('\0', '')

const messageIdOf = (text: string | undefined) => /<[^<>\s]{1,900}>/.exec(storable((text ?? '').slice(0, MAX_HEADERS)))?.[0]

/** Returns a Message-ID that is the same each time the message is read. */
const madeUp = (...parts: (string | number | undefined)[]) =>
  `<${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}@message-id.missing>`

/** People with an address. A group of recipients begins with an entry that only has a name; its members follow. */
const people = (some?: MessageAddressObject[]) => named(some).filter(({ email }) => email !== '')

function named(some: MessageAddressObject[] = []): Person[] {
  let left = MAX_PEOPLE_TEXT
  return some.slice(0, MAX_PEOPLE).flatMap(({ address = '', name = '' }) => {
    const email = cleanText(address, 320)
    const person = { email, name: cleanText(name, 255) || null }
    left -= JSON.stringify(person).length
    return left > 0 && (email || name) ? [person] : []
  })
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Whether the month doesn't have this day, such as 30 February: JavaScript would turn it into a day of the next month. */
function isImpossible(date: string | undefined): boolean {
  const [, day, name, year] =
    /(?:^|[\s,])(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s-]+(\d{4})(?!\d)/i.exec(date?.slice(0, 100) ?? '') ?? []
  const month = MONTHS.indexOf(name?.toLowerCase() ?? '')
  return month >= 0 && (Number(day) < 1 || Number(day) > new Date(Date.UTC(Number(year), month + 1, 0)).getUTCDate())
}

/** Ignores dates of clocks that were never set. */
function dateOf(date: Date | string | undefined): string | undefined {
  const instant = new Date(typeof date === 'string' ? date.slice(0, 100) : (date ?? Number.NaN)).getTime()
  return instant > Date.UTC(1980) && instant < Date.UTC(2100) ? new Date(instant).toISOString() : undefined
}

/** Adds snippets: one command for all messages whose text is in the same part. */
export async function addSnippets(mailbox: Mailbox, heads: Head[]) {
  const shown = heads.flatMap((head) => {
    const part = head.body_parts.find(({ mime }) => mime === 'text/plain') ?? head.body_parts[0]
    return part ? [{ head, part }] : []
  })
  for (const [key, same] of Map.groupBy(shown, ({ part }) => `${part.mime} ${part.part}`)) {
    const most = key.startsWith('text/html') ? 8192 : 1024 // HTML begins with styles
    const { part } = same[0]!.part
    const found = await mailbox.parts(
      same.map(({ head }) => head.uid),
      [part],
      most,
    )
    for (const { head, part: text } of same) {
      const bytes = found.get(head.uid)?.get(part)
      if (bytes) head.snippet = snippetOf(text, bytes, bytes.length >= most)
    }
  }
}

/** Snippet from the beginning of a part, short enough to be read in this process. */
function snippetOf(part: TextPart, bytes: Buffer, isCut: boolean): string {
  const text = decodeText(part, bytes, isCut)
  const plain = part.mime === 'text/html' ? plainOf(sanitizeHtml(text)) : text
  return cleanText(plain.replace(/\s+/g, ' '), SNIPPET)
}
