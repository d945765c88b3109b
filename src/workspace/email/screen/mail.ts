/** Shared by the parts of the inbox: types of the API's replies, the place in the address, and actions on messages. */
import { signal } from '@preact/signals'
import { at, go } from '#console/client/addresses.ts'
import { ApiError, call } from '#console/client/api.ts'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed } from '#console/client/screens/data.ts'
import { filled, may } from '#console/client/screens/shape.ts'
import { counted, locale } from '#console/client/screens/values.tsx'
import { t } from './texts.ts'

export interface Person {
  email: string
  name: string | null
}
export interface Attachment {
  id: string
  name: string
  mime: string
  size_bytes: number
  is_inline: boolean
  content_id: string | null
}
export interface Label {
  uuid: string
  name: string
  color: string | null
}
export interface Item {
  uuid: string
  account_uuid: string
  folder_uuid: string
  status: 'received' | 'draft' | 'queued' | 'sending' | 'sent' | 'failed'
  error: string | null
  subject: string
  from: Person | null
  to: Person[]
  cc: Person[]
  bcc: Person[]
  date: string
  snippet: string
  is_read: boolean
  is_starred: boolean
  is_answered: boolean
  is_forwarded: boolean
  size_bytes: number
  thread_key: string
  attachments: Attachment[]
  labels: Label[]
}
export interface Message extends Item {
  message_id: string
  in_reply_to: string | null
  forwards: string | null
  reply_to: Person[]
  body_html: string | null
  body_text: string | null
  links: { linkable_type: string; linkable_id: number; label: string }[]
}
export interface Folder {
  uuid: string
  name: string
  type: 'inbox' | 'drafts' | 'sent' | 'archive' | 'junk' | 'trash' | 'all' | 'custom'
  is_on_server: boolean
  unread_count: number
  total_count: number
}
export interface Mailbox {
  uuid: string
  email_address: string
  from_name: string | null
  is_default: boolean
  last_synced_at: string | null
  last_error: string | null
  folders: Folder[]
  labels: Label[]
}

export const mayUpdate = may(['email.update'])
export const mayCreate = may(['email.create'])
export const mayDelete = may(['email.delete'])

// The place in the address, which contains everything that is shown.

/** Parameters of the panes next to the list. */
const OPEN = ['message', 'write', 'show'] as const

export interface Place {
  mailbox: Mailbox
  folder: Folder | undefined
  label: Label | undefined
  /** Search text. */
  q: string
  isUnreadOnly: boolean
}

/** Returns the place in the address; undefined without a mailbox. If the place no longer exists, returns the default one. */
export function placeIn(mailboxes: Mailbox[]): Place | undefined {
  const asked = at.value.searchParams
  const [folderAsked, labelAsked] = [asked.get('folder'), asked.get('label')]
  const holds = ({ uuid, folders, labels }: Mailbox) =>
    folders.some((one) => one.uuid === folderAsked) ||
    labels.some((one) => one.uuid === labelAsked) ||
    uuid === asked.get('account')
  const mailbox = mailboxes.find(holds) ?? mailboxes.find(({ is_default }) => is_default) ?? mailboxes[0]
  if (!mailbox) return undefined
  const label = mailbox.labels.find(({ uuid }) => uuid === labelAsked)
  const folder = label
    ? undefined
    : (mailbox.folders.find(({ uuid }) => uuid === folderAsked) ?? folderOf(mailbox, 'inbox') ?? mailbox.folders[0])
  return { mailbox, folder, label, q: asked.get('q')?.trim() ?? '', isUnreadOnly: asked.get('unread') === '1' }
}

const folderOf = ({ folders }: Mailbox, type: Folder['type']) => folders.find((one) => one.type === type)
/** Folder for messages that are done. */
export const archiveOf = (mailbox: Mailbox) =>
  mailbox.folders.find(({ type, is_on_server }) => type === 'archive' && is_on_server) ??
  mailbox.folders.find(({ type, is_on_server }) => type === 'all' && is_on_server)

/** Returns the address with some parameters changed. */
export function addressWith(changes: Record<string, string | undefined>): string {
  const url = new URL(at.value)
  for (const [name, value] of Object.entries(changes)) value ? url.searchParams.set(name, value) : url.searchParams.delete(name)
  return url.pathname + url.search
}
/** Returns the address of a list, with nothing open next to it. */
export const listOf = (place: Record<string, string | undefined>) =>
  addressWith({ account: undefined, folder: undefined, label: undefined, q: undefined, unread: undefined, ...closed, ...place })
const closed = Object.fromEntries(OPEN.map((name) => [name, undefined]))
export const openAddress = (message: string) => addressWith({ ...closed, message })
export const writeAddress = (draft: string) => addressWith({ show: undefined, write: draft })

/** Closes the open panes and replaces the history entry, so that Back doesn't reopen them. */
export const shut = () => go(addressWith(closed), { replace: true })

// Formatting.

export const nameOf = ({ email, name }: Person) => name || email
export const written = ({ email, name }: Person) => (name ? `${name} <${email}>` : email)

const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const day = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric' })
const year = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
/** Formats the date of a row: the time if it is today, else the day, in the reader's time zone. */
export function shortly(instant: string): string {
  const [then, now] = [new Date(instant), new Date()]
  if (then.toDateString() === now.toDateString()) return time.format(then)
  return (then.getFullYear() === now.getFullYear() ? day : year).format(then)
}

// Actions on messages: maximum messages per request.

const AT_ONCE = 25
const uuidsOf = (items: Item[]) => items.map(({ uuid }) => uuid)

/** The changed messages, the others, and the reason for the first of these. */
interface Outcome {
  made: Item[]
  left: Item[]
  refused: string | undefined
}

async function many(items: Item[], body: object): Promise<Outcome> {
  const failed = new Map<string, string>()
  for (let n = 0; n < items.length; n += AT_ONCE) {
    const message_uuids = uuidsOf(items.slice(n, n + AT_ONCE))
    try {
      const { data } = await call('post', '/email/messages/bulk', { body: { message_uuids, ...body } })
      for (const { uuid, message } of data.failed) failed.set(uuid, message)
    } catch (error) {
      const isEach = isOfEach(error)
      const some = isEach ? error.data.failed : items.slice(n).map(({ uuid }) => ({ uuid, message: (error as Error).message }))
      for (const { uuid, message } of some) failed.set(uuid, message)
      if (!isEach) break
    }
  }
  const isLeft = ({ uuid }: Item) => failed.has(uuid)
  return { made: items.filter((one) => !isLeft(one)), left: items.filter(isLeft), refused: [...failed.values()][0] }
}

/** Whether the API rejected each message individually: the other batches are still sent. */
const isOfEach = (error: unknown): error is { data: { failed: { uuid: string; message: string }[] } } =>
  error instanceof ApiError && Array.isArray((error.data as { failed?: unknown } | undefined)?.failed)

/** Shows what was done and what was rejected as one message. `back` undoes the former. */
function report(
  { made, refused }: Pick<Outcome, 'made' | 'refused'>,
  said?: (made: Item[]) => string,
  back?: (made: Item[]) => unknown,
) {
  const done = said && made.length ? said(made) : undefined
  const text = [done, refused].filter(Boolean).join(' ')
  if (text) tell(text, done && back ? { label: t('undo'), run: () => void back(made) } : undefined)
}

/** Optimistic changes of the list; the server's reply follows. */
export interface Listed {
  patch(uuids: string[], changes: Partial<Item>): void
  /** Removes messages from the list. Returns a function that puts some of them back in their places. */
  drop(uuids: string[]): (some: Item[]) => void
}

/** Returns the text of a completed action, with the number of messages. */
const said = (one: Parameters<typeof t>[0], several: Parameters<typeof t>[0], items: Item[], more = {}) =>
  items.length === 1 ? t(one, more) : t(several, { count: counted.format(items.length), ...more })

/** Number of actions done here: the list is reloaded after each, like everything else on the page. */
export const turns = signal(0)
export function turned() {
  turns.value++
  changed()
}

async function done(deed: () => Promise<void>) {
  try {
    await deed()
  } catch (error) {
    tell((error as Error).message)
  }
  turned()
}

export const flag = (list: Listed, items: Item[], flags: { is_read?: boolean; is_starred?: boolean }) =>
  done(async () => {
    list.patch(uuidsOf(items), flags)
    report(await many(items, { action: 'flags', ...flags }))
  })

export const move = (list: Listed, items: Item[], folder: Folder) =>
  done(async () => {
    const moved = items.filter(({ folder_uuid }) => folder_uuid !== folder.uuid)
    const putBack = list.drop(uuidsOf(moved))
    const outcome = await many(moved, { action: 'move', folder_uuid: folder.uuid })
    putBack(outcome.left)
    const undo = (made: Item[]) => back(made, putBack)
    report(outcome, (made) => said('movedOne', 'moved', made, { folder: folder.name }), undo)
  })

/** Moves each message back to its previous folder. */
const back = (items: Item[], putBack: (some: Item[]) => void) =>
  done(async () => {
    const all: Parameters<typeof report>[0] = { made: [], refused: undefined }
    for (const [folder_uuid, some] of Map.groupBy(items, (one) => one.folder_uuid)) {
      const { made, refused } = await many(some, { action: 'move', folder_uuid })
      all.made.push(...made)
      all.refused ??= refused
    }
    putBack(all.made)
    report(all, (made) => said('isBack', 'areBack', made))
  })

/** Moves messages to the Trash, with undo; deletes messages in the Trash for good. */
export const remove = (list: Listed, items: Item[], mailbox: Mailbox) =>
  done(async () => {
    const trash = mailbox.folders.find(({ type, is_on_server }) => type === 'trash' && is_on_server)
    const comeBack = trash ? items.filter(({ status, folder_uuid }) => status !== 'draft' && folder_uuid !== trash.uuid) : []
    const putBack = list.drop(uuidsOf(items))
    const outcome = await many(items, { action: 'delete' })
    putBack(outcome.left)
    const undone = comeBack.filter((one) => outcome.made.includes(one))
    report(outcome, (made) => said('deletedOne', 'deleted', made), undone.length ? () => back(undone, putBack) : undefined)
  })

/** Whether deleting these messages removes any of them for good. */
export function isForGood(items: Item[], mailbox: Mailbox) {
  const trash = mailbox.folders.find(({ type, is_on_server }) => type === 'trash' && is_on_server)
  return items.some(({ folder_uuid, status }) => status !== 'draft' && (!trash || folder_uuid === trash.uuid))
}

export const label = (list: Listed, items: Item[], which: Label, mode: 'add' | 'remove') =>
  done(async () => {
    for (const { uuid, labels } of items) {
      const others = labels.filter((one) => one.uuid !== which.uuid)
      list.patch([uuid], { labels: mode === 'add' ? [...others, which] : others })
    }
    report(await many(items, { action: 'labels', label_uuids: [which.uuid], label_mode: mode }))
  })

export const messagePath = (uuid: string, more = '') => filled(`/email/messages/{uuid}${more}`, uuid)

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const lineOf = (line: string) => `<div>${escaped(line).replace(/ (?= |$)|^ /g, '\u00a0') || '<br>'}</div>`

/** Converts text to HTML: keeps lines, and turns lines quoted with `>` into quotes. */
export function htmlOf(text: string): string {
  let html = ''
  let depth = 0
  for (const line of text.split('\n')) {
    const marks = /^(?:> ?)*/.exec(line)![0]
    const deep = Math.min(marks.replaceAll(' ', '').length, MAX_QUOTES)
    html += '<blockquote>'.repeat(Math.max(deep - depth, 0)) + '</blockquote>'.repeat(Math.max(depth - deep, 0))
    html += lineOf(line.slice(marks.length))
    depth = deep
  }
  return html + '</blockquote>'.repeat(depth)
}
const MAX_QUOTES = 20
