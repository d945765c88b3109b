/**
 * Drafts being written: stored on this device with each keystroke, so that they survive a reload or a lost connection, and
 * shortly afterwards in the account's Drafts.
 */
import { signal } from '@preact/signals'
import { call } from '#console/client/api.ts'
import { boot } from '#console/client/boot.ts'
import { textOf } from '#console/client/screens/values.tsx'
import { type Attachment, htmlOf, type Message, messagePath, type Person } from './mail.ts'

export interface Draft {
  /** Name of the draft in the address. */
  key: string
  /** Uuid in the account's Drafts; undefined until it is stored there. */
  uuid?: string
  account: string
  to: Person[]
  cc: Person[]
  bcc: Person[]
  subject: string
  text: string
  /** Formatted text, in addition to `text`; null if the plain text is complete. */
  html: string | null
  in_reply_to: string | null
  forwards: string | null
  files: Attachment[]
  /** Has changes that aren't in Drafts yet. */
  isAhead: boolean
  /** The user has typed in it; until then nothing is stored elsewhere. */
  isTouched: boolean
  /** The account's signature is still to be inserted. */
  isUnsigned: boolean
  /** Files of the forwarded message that are still to be copied; the draft can't be sent without them. */
  brings: { uuid: string; files: Attachment[] } | null
  changedAt: string
}

const PREFIX = `atrium.mail.${boot.realm?.path ?? ''}.${boot.me?.user.id ?? ''}.`
const MAX_KEPT = 50

function stored(): Draft[] {
  const found: Draft[] = []
  for (let n = 0; n < localStorage.length; n++) {
    const name = localStorage.key(n)!
    if (name.startsWith(PREFIX)) found.push(...parsed(localStorage.getItem(name)))
  }
  return found.toSorted((a, b) => b.changedAt.localeCompare(a.changedAt))
}
function parsed(text: string | null): Draft[] {
  try {
    const draft = JSON.parse(text ?? '') as Draft & { isFormatted?: boolean }
    // The previous version stored formatted drafts without their formatted text; the account's Drafts have it.
    return draft.isFormatted && draft.html === undefined ? [] : [draft]
  } catch {
    return [] // stored by another version of the page
  }
}

/** Drafts stored on this device only, newest first. */
export const waiting = signal(stored().filter(({ isAhead, isTouched }) => isAhead && isTouched))
const tellWaiting = () => (waiting.value = stored().filter(({ isAhead, isTouched }) => isAhead && isTouched))

/** Returns the draft with this name in the address, or with this uuid in the account's Drafts. */
export const keptDraft = (name: string): Draft | undefined =>
  parsed(localStorage.getItem(PREFIX + name))[0] ?? stored().find(({ uuid }) => uuid === name)

/** Stores a draft on this device; false if the browser's storage is full or unavailable. */
export function keep(draft: Draft): boolean {
  try {
    localStorage.setItem(PREFIX + draft.key, JSON.stringify({ ...draft, changedAt: new Date().toISOString() }))
  } catch {
    return false
  }
  for (const { key } of stored()
    .filter(({ isAhead }) => !isAhead)
    .slice(MAX_KEPT))
    localStorage.removeItem(PREFIX + key)
  tellWaiting()
  return true
}

/** Deletes a draft from this device. */
export function forget(key: string) {
  localStorage.removeItem(PREFIX + key)
  tellWaiting()
}

/** Returns a new draft for an account. */
export const begun = (account: string, more: Partial<Draft> = {}): Draft => ({
  key: Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  account,
  to: [],
  cc: [],
  bcc: [],
  subject: '',
  text: '',
  html: null,
  in_reply_to: null,
  forwards: null,
  files: [],
  isAhead: true,
  isTouched: false,
  isUnsigned: true,
  brings: null,
  changedAt: '',
  ...more,
})

/** Loads a draft from the account's Drafts. */
export async function loaded(uuid: string, key = uuid): Promise<Draft> {
  const { data } = await call('get', messagePath(uuid))
  const message = data as Message
  return begun(message.account_uuid, {
    key,
    uuid,
    to: message.to,
    cc: message.cc,
    bcc: message.bcc,
    subject: message.subject,
    text: message.body_text ?? textOf(message.body_html ?? ''),
    html: message.body_html || null,
    in_reply_to: message.in_reply_to,
    forwards: message.forwards,
    files: message.attachments,
    isAhead: false,
    isTouched: true,
    isUnsigned: false,
  })
}

const bodyOf = ({ to, cc, bcc, subject, text, html, in_reply_to, forwards }: Draft) => ({
  to,
  cc,
  bcc,
  subject,
  body_text: text,
  body_html: html ?? null,
  ...(in_reply_to ? { in_reply_to } : {}),
  ...(forwards ? { forwards } : {}),
})

/** Stores a draft in the account's Drafts and returns its uuid there. */
export async function save(draft: Draft): Promise<string> {
  if (draft.uuid) {
    await call('put', messagePath(draft.uuid), { body: bodyOf(draft) })
    return draft.uuid
  }
  const { data } = await call('post', '/email/messages/compose', { body: { account_uuid: draft.account, ...bodyOf(draft) } })
  return (data as Message).uuid
}

// Replies: recipients and quoted text.

const same = (a: Person, b: Person) => a.email.toLowerCase() === b.email.toLowerCase()
const MAX_QUOTED = 100_000
const MAX_QUOTED_HTML = 300_000
const EMPTY = htmlOf('\n')

/** Returns the initial draft of a reply or a forwarded message. */
export function answering(
  how: 'reply' | 'all' | 'forward',
  message: Message,
  own: Person,
  words: { wrote: string; head: string },
): Partial<Draft> {
  const text = (message.body_text ?? textOf(message.body_html ?? '')).slice(0, MAX_QUOTED)
  const html = message.body_html && message.body_html.length <= MAX_QUOTED_HTML ? message.body_html : undefined
  if (how === 'forward')
    return {
      subject: prefixed('Fwd', message.subject),
      text: `\n\n${words.head}\n\n${text}`,
      html: html ? `${EMPTY}${htmlOf(`${words.head}\n`)}${html}` : null,
      forwards: message.message_id,
      brings: message.attachments.length ? { uuid: message.uuid, files: message.attachments } : null,
    }
  const isOwn = message.from !== null && same(message.from, own)
  const to = isOwn ? message.to : message.reply_to.length ? message.reply_to : message.from ? [message.from] : []
  const others = how === 'all' ? [...(isOwn ? [] : message.to), ...message.cc] : []
  const cc = others.filter(
    (one, n) => ![own, ...to].some((known) => same(known, one)) && others.findIndex((it) => same(it, one)) === n,
  )
  const quoted = text
    .split('\n')
    .map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`))
    .join('\n')
  return {
    to,
    cc,
    subject: prefixed('Re', message.subject),
    text: `\n\n${words.wrote}\n${quoted}`,
    html: html ? `${EMPTY}${htmlOf(words.wrote)}<blockquote>${html}</blockquote>` : null,
    in_reply_to: message.message_id,
  }
}

const PREFIXED = { Re: /^(re|aw|antw)\s*:/i, Fwd: /^(fwd?|wg)\s*:/i }
const prefixed = (prefix: keyof typeof PREFIXED, subject: string) =>
  (PREFIXED[prefix].test(subject) ? subject : `${prefix}: ${subject}`).slice(0, 998)
