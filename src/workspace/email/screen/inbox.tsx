/**
 * The inbox: mailboxes, messages, and the open message or draft side by side; on a phone one at a time. The address contains
 * everything that is open.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { at, go } from '#console/client/addresses.ts'
import { call } from '#console/client/api.ts'
import { useEvents } from '#console/client/events.ts'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { Item as Choice, Menu } from '#console/client/parts/menu.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { listAddress, summaryOf } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { moment } from '#console/client/texts/texts.ts'
import Compose, { loadEditor } from './compose.tsx'
import { answering, begun, keep, waiting } from './drafts.ts'
import {
  addressWith,
  archiveOf,
  flag,
  type Item,
  isForGood,
  label,
  listOf,
  type Mailbox,
  type Message,
  mayCreate,
  mayDelete,
  mayUpdate,
  messagePath,
  move,
  openAddress,
  type Place,
  placeIn,
  remove,
  shut,
  writeAddress,
  written,
} from './mail.ts'
import { type Conversation, conversationsOf, Messages, useList } from './messages.tsx'
import { LabelDot, Sign } from './parts.tsx'
import { type Answering, Reading } from './reading.tsx'
import { t } from './texts.ts'

const ACCOUNTS = { key: 'email-accounts' }

export default function Inbox() {
  const { answer, error, again } = useAnswer('/email/mailboxes')
  const mailboxes = answer?.data.mailboxes as Mailbox[] | undefined
  const place = mailboxes && placeIn(mailboxes)
  useEvents('email_account', changed)
  if (place) return <Opened mailboxes={mailboxes} place={place} />
  return (
    <ScreenFrame title={t('inbox')}>
      {error && !answer ? (
        <Trouble error={error} again={again} />
      ) : mailboxes ? (
        <div class="empty">
          <h2>{t('noMailbox')}</h2>
          <p class="quiet">{t('noMailboxSays')}</p>
          {summaryOf(ACCOUNTS.key)?.may_create && (
            <a class="button primary" href={`${listAddress(ACCOUNTS)}/new`}>
              {t('connect')}
            </a>
          )}
        </div>
      ) : (
        <p class="quiet" aria-busy="true">
          {t('loading')}
        </p>
      )}
    </ScreenFrame>
  )
}

/** Handles keys unless a text field has the focus. In the list, the arrow keys act like J and K. */
function useKeys(keys: Record<string, () => void>) {
  const held = useRef(keys)
  held.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isTyping = target.closest?.(
        'input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], dialog, form',
      )
      if (
        isTyping ||
        event.defaultPrevented ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        document.querySelector('dialog[open]')
      )
        return
      const inList = target.closest?.('.email-list')
      const key = inList && event.key === 'ArrowDown' ? 'j' : inList && event.key === 'ArrowUp' ? 'k' : event.key
      const act = held.current[key]
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** Delay before the code for writing is loaded ahead. */
const AHEAD_MS = 1500

function Opened({ mailboxes, place }: { mailboxes: Mailbox[]; place: Place }) {
  const { mailbox } = place
  const list = useList(place)
  const conversations = conversationsOf(list.items)
  const picked = useSignal(new Set<string>())
  const current = useSignal<string | undefined>(undefined)
  const asksForGood = useSignal<Item[] | undefined>(undefined)
  const showsKeys = useSignal(false)
  /** Messages of the open conversation. */
  const read = useRef<Item[]>([])
  const box = useRef<HTMLDivElement>(null)

  const asked = at.value.searchParams
  const open = asked.get('message') ?? undefined
  const writing = asked.get('write') ?? undefined
  const pane = writing || open ? 'reading' : asked.get('show') ? 'places' : 'list'

  const here = `${mailbox.uuid} ${place.folder?.uuid} ${place.label?.uuid} ${place.q}`
  useEffect(() => {
    picked.value = new Set()
    current.value = undefined
  }, [here])
  useEffect(() => {
    const timer = mayCreate ? setTimeout(() => void loadEditor().catch(() => {}), AHEAD_MS) : undefined
    return () => clearTimeout(timer)
  }, [])
  // Reloads the list after changes made here or elsewhere; open messages stay open.
  const refresh = useRef(list.refresh)
  refresh.current = list.refresh
  useEvents('email_account', () => refresh.current())

  // Closing a message returns the focus to its row.
  const before = useRef(open)
  useEffect(() => {
    if (before.current && !open && !writing) focusRow(before.current)
    before.current = open
  }, [open, writing])

  const rowOf = (uuid: string | undefined) => conversations.find((some) => some.some((one) => one.uuid === uuid))
  function focusRow(uuid: string) {
    const first = rowOf(uuid)?.[0]?.uuid ?? uuid
    box.current?.querySelector<HTMLElement>(`[data-uuid="${CSS.escape(first)}"]`)?.focus()
  }

  /** Messages that keys and buttons act on: the selected ones, else the open one, else the row with the focus. */
  const targets = (): Conversation => {
    if (picked.value.size) return conversations.filter(([first]) => picked.value.has(first!.uuid)).flat()
    if (open) {
      const some = rowOf(open) ?? []
      const others = read.current.filter(
        (one) => one.folder_uuid === place.folder?.uuid && !some.some(({ uuid }) => uuid === one.uuid),
      )
      return some.length || others.length ? [...some, ...others] : read.current.filter(({ uuid }) => uuid === open)
    }
    return rowOf(current.value) ?? []
  }
  /** Clears the selection. If an action removes the open message from the list, closes it and moves the focus to the next row. */
  const leave = (some: Conversation) => {
    const gone = new Set(some.map(({ uuid }) => uuid))
    picked.value = new Set()
    if (!open || !gone.has(open)) return
    shut()
    const n = conversations.findIndex((row) => row.some(({ uuid }) => gone.has(uuid)))
    const next = conversations[n + 1] ?? conversations[n - 1]
    if (next) current.value = next[0]!.uuid
  }
  const deeds = {
    read: (is_read: boolean) => {
      const some = targets()
      if (some.length && mayUpdate)
        void flag(list, is_read ? some : some.slice(0, picked.value.size ? undefined : 1), { is_read })
      if (!is_read && open) shut()
      picked.value = new Set()
    },
    star: () => {
      const some = targets()
      if (some.length && mayUpdate) void flag(list, some, { is_starred: !some.some(({ is_starred }) => is_starred) })
    },
    move: (folder: Mailbox['folders'][number]) => {
      const some = targets().filter(({ folder_uuid, status }) => folder_uuid !== folder.uuid && status !== 'draft')
      if (!some.length || !mayUpdate) return
      leave(some)
      void move(list, some, folder)
    },
    archive: () => {
      const archive = archiveOf(mailbox)
      if (archive) deeds.move(archive)
    },
    remove: () => {
      const some = targets()
      if (!some.length || !mayDelete) return
      if (isForGood(some, mailbox)) asksForGood.value = some
      else deeds.removeAll(some)
    },
    removeAll: (some: Conversation) => {
      asksForGood.value = undefined
      leave(some)
      void remove(list, some, mailbox)
    },
    label: (which: Mailbox['labels'][number]) => {
      const some = targets()
      if (!some.length || !mayUpdate) return
      const hasAll = some.every(({ labels }) => labels.some(({ uuid }) => uuid === which.uuid))
      void label(list, some, which, hasAll ? 'remove' : 'add')
    },
    write: () => {
      if (!mayCreate) return
      const draft = begun(mailbox.uuid)
      keep(draft)
      go(writeAddress(draft.key))
    },
    answer: (how: Answering, message: Message) => {
      if (!mayCreate) return
      const draft = begun(message.account_uuid, answering(how, message, ownOf(mailboxes, message), wordsOf(message)))
      keep(draft)
      go(writeAddress(draft.key))
    },
  }
  /** Answers the newest open message, loaded in full. */
  const answerLast = async (how: Answering) => {
    const last = read.current.filter(({ status }) => status !== 'draft').at(-1) ?? rowOf(current.value)?.[0]
    const asked = open && read.current.length ? last : rowOf(current.value)?.[0]
    if (!asked || asked.status === 'draft') return
    try {
      deeds.answer(how, (await call('get', messagePath(asked.uuid))).data as Message)
    } catch (error) {
      tell((error as Error).message)
    }
  }
  /** Moves to the next or previous row; on a wide page, opens it if a message is open. */
  const walk = (by: 1 | -1) => {
    const from = conversations.indexOf(rowOf(open) ?? rowOf(current.value) ?? [])
    const to = conversations[from < 0 ? 0 : from + by]
    if (!to) return
    const { uuid, status } = to[0]!
    current.value = uuid
    if (open && status !== 'draft') go(openAddress(uuid), { replace: true })
    else setTimeout(() => focusRow(uuid))
    if (conversations.length - from < 10) list.more()
  }
  const keys: Record<string, () => void> = {
    j: () => walk(1),
    k: () => walk(-1),
    o: () => {
      const row = rowOf(current.value)
      if (row && !open) box.current?.querySelector<HTMLElement>(`[data-uuid="${CSS.escape(row[0]!.uuid)}"]`)?.click()
    },
    x: () => {
      const row = rowOf(current.value)?.[0]?.uuid
      if (!row) return
      const next = new Set(picked.value)
      next.has(row) ? next.delete(row) : next.add(row)
      picked.value = next
    },
    r: () => void answerLast('reply'),
    a: () => void answerLast('all'),
    f: () => void answerLast('forward'),
    e: deeds.archive,
    u: () => deeds.read(!targets().some(({ is_read }) => is_read)),
    s: deeds.star,
    '#': deeds.remove,
    c: deeds.write,
    '/': () => document.querySelector<HTMLInputElement>('.email-search input')?.focus(),
    '?': () => (showsKeys.value = true),
    Escape: () => {
      if (picked.value.size) picked.value = new Set()
      else if (open && !writing) shut()
    },
  }
  useKeys(keys)

  const tools = (
    <Tools
      mailbox={mailbox}
      place={place}
      isUnread={targets().some(({ is_read }) => !is_read)}
      isStarred={targets().some(({ is_starred }) => is_starred)}
      deeds={deeds}
    />
  )
  return (
    <ScreenFrame
      title={t('inbox')}
      tools={
        <>
          <Search key={mailbox.uuid} place={place} />
          <button type="button" class="plain only-icon" aria-label={t('keys')} onClick={() => (showsKeys.value = true)}>
            <kbd>?</kbd>
          </button>
          {mayCreate && (
            <button type="button" class="primary" onClick={deeds.write}>
              <Icon name="edit" />
              {t('newMessage')}
            </button>
          )}
        </>
      }
    >
      <div ref={box} class="email-panes" data-pane={pane}>
        <Places mailboxes={mailboxes} place={place} />
        <section class="email-list" aria-label={t('messages')}>
          <div class="email-list-head">
            <a class="button plain email-to-places" href={addressWith({ show: 'folders' })}>
              <Icon name="left" />
              {t('folders')}
            </a>
            <h2>{place.q ? t('found', { q: place.q }) : (place.label?.name ?? folderName(place.folder))}</h2>
            <a
              class="button plain"
              aria-current={place.isUnreadOnly ? 'true' : undefined}
              href={addressWith({ unread: place.isUnreadOnly ? undefined : '1' })}
            >
              {place.isUnreadOnly ? t('showAll') : t('unread')}
            </a>
          </div>
          {picked.value.size > 0 && (
            <div class="chosen-bar" role="region" aria-label={t('selection')}>
              <span role="status">{t('chosen', { count: counted.format(picked.value.size) })}</span>
              {!open && tools}
              <button type="button" class="plain" onClick={() => (picked.value = new Set())}>
                {t('clear')}
              </button>
            </div>
          )}
          {mailbox.last_error && <p class="notice bad email-note">{mailbox.last_error}</p>}
          <Messages place={place} list={list} conversations={conversations} picked={picked} current={current} open={open} />
        </section>
        <section class="email-reading" aria-label={t('reading')}>
          {(writing || open) && (
            <button
              type="button"
              class="plain email-back"
              onClick={() => (writing ? go(addressWith({ write: undefined })) : shut())}
            >
              <Icon name="left" />
              {t('back')}
            </button>
          )}
          {writing ? (
            <Compose
              key={writing}
              name={writing}
              mailboxes={mailboxes}
              close={() => go(addressWith({ write: undefined }), { replace: true })}
            />
          ) : open ? (
            <Reading
              key={open}
              uuid={open}
              mailbox={mailbox}
              known={list.items.find(({ uuid }) => uuid === open)}
              tools={tools}
              answer={deeds.answer}
              read={(item) => void flag(list, [item], { is_read: true })}
              shown={(some) => (read.current = some)}
            />
          ) : (
            <p class="quiet email-none">{t('chooseOne')}</p>
          )}
        </section>
      </div>
      {showsKeys.value && <Keys close={() => (showsKeys.value = false)} />}
      {asksForGood.value && (
        <Dialog title={t('forGood')} close={() => (asksForGood.value = undefined)}>
          <div class="dialog-body">
            <p>{t('forGoodSays', { count: counted.format(asksForGood.value.length) })}</p>
            <div class="dialog-foot">
              <button type="button" onClick={() => (asksForGood.value = undefined)}>
                {t('cancel')}
              </button>
              <button type="button" class="danger" onClick={() => deeds.removeAll(asksForGood.value!)}>
                {t('deleteForGood')}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </ScreenFrame>
  )
}

const ownOf = (mailboxes: Mailbox[], { account_uuid }: Message) => {
  const own = mailboxes.find(({ uuid }) => uuid === account_uuid)
  return { email: own?.email_address ?? '', name: own?.from_name ?? null }
}
function wordsOf({ from, to, date, subject }: Message) {
  const on = moment.format(new Date(date))
  const name = from ? written(from) : t('unknownSender')
  const head = [
    t('forwarded'),
    `${t('from')}: ${name}`,
    `${t('to')}: ${to.map(written).join(', ')}`,
    `${t('date')}: ${on}`,
    `${t('subject')}: ${subject}`,
  ]
  return { wrote: t('wrote', { on, name }), head: head.join('\n') }
}

const NAMED = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash', 'all'] as const
/** Returns the usual name of a standard folder, whatever its server calls it. */
function folderName(folder: Mailbox['folders'][number] | undefined): string {
  const known = NAMED.find((one) => one === folder?.type)
  return known ? t(`folder_${known}`) : (folder?.name ?? '')
}
const rank = ({ type }: Mailbox['folders'][number]) => (type === 'custom' ? NAMED.length : NAMED.indexOf(type))

/** Mailboxes, their folders and labels, and drafts stored on this device only. */
function Places({ mailboxes, place }: { mailboxes: Mailbox[]; place: Place }) {
  return (
    <nav class="email-places" aria-label={t('mailboxes')}>
      {waiting.value.length > 0 && (
        <>
          <h2>{t('onDevice')}</h2>
          <ul>
            {waiting.value.map((draft) => (
              <li key={draft.key}>
                <a href={writeAddress(draft.uuid ?? draft.key)}>{draft.subject || t('noSubject')}</a>
              </li>
            ))}
          </ul>
        </>
      )}
      {mailboxes.map((mailbox) => (
        <div key={mailbox.uuid}>
          <h2>{mailbox.email_address}</h2>
          <ul>
            {mailbox.folders
              .toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
              .map((folder) => (
                <li key={folder.uuid}>
                  <a
                    href={listOf({ account: mailbox.uuid, folder: folder.uuid })}
                    aria-current={place.folder?.uuid === folder.uuid && !place.q ? 'page' : undefined}
                  >
                    <span class="email-name">{folderName(folder)}</span>
                    {folder.unread_count > 0 && folder.type !== 'drafts' && folder.type !== 'sent' && (
                      <span class="email-unread">
                        {counted.format(folder.unread_count)} <span class="unseen">{t('unread')}</span>
                      </span>
                    )}
                  </a>
                </li>
              ))}
            {mailbox.labels.map((one) => (
              <li key={one.uuid}>
                <a
                  href={listOf({ account: mailbox.uuid, label: one.uuid })}
                  aria-current={place.label?.uuid === one.uuid && !place.q ? 'page' : undefined}
                >
                  <LabelDot color={one.color} />
                  <span class="email-name">{one.name}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

const SEARCH_MS = 300

function Search({ place }: { place: Place }) {
  const text = useSignal(place.q)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    if (document.activeElement?.closest('.email-search') === null) text.value = place.q
  }, [place.q])
  const ask = () => {
    clearTimeout(timer.current)
    const q = text.value.trim() || undefined
    if ((q ?? '') !== place.q)
      go(addressWith({ q, message: undefined, show: undefined, write: undefined }), { replace: place.q !== '' })
  }
  return (
    <search class="email-search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          ask()
        }}
      >
        <Icon name="search" />
        <input
          type="search"
          aria-label={t('search')}
          placeholder={t('search')}
          maxLength={200}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
            clearTimeout(timer.current)
            timer.current = setTimeout(ask, SEARCH_MS)
          }}
        />
      </form>
    </search>
  )
}

interface ToolsProps {
  mailbox: Mailbox
  place: Place
  isUnread: boolean
  isStarred: boolean
  deeds: {
    read(is: boolean): void
    star(): void
    archive(): void
    remove(): void
    move(folder: Mailbox['folders'][number]): void
    label(label: Mailbox['labels'][number]): void
  }
}

/** Actions for the selected or open messages. */
function Tools({ mailbox, place, isUnread, isStarred, deeds }: ToolsProps) {
  const archive = archiveOf(mailbox)
  const folders = mailbox.folders.filter(({ is_on_server, uuid }) => is_on_server && uuid !== place.folder?.uuid)
  return (
    <div class="email-tools" role="toolbar" aria-label={t('deeds')}>
      {mayUpdate && (
        <>
          {archive && archive.uuid !== place.folder?.uuid && (
            <button
              type="button"
              class="plain only-icon"
              aria-label={t('archive')}
              title={`${t('archive')} (e)`}
              onClick={deeds.archive}
            >
              <Sign name="archive" />
            </button>
          )}
          <button
            type="button"
            class="plain only-icon"
            aria-label={t(isUnread ? 'markRead' : 'markUnread')}
            title={`${t(isUnread ? 'markRead' : 'markUnread')} (u)`}
            onClick={() => deeds.read(isUnread)}
          >
            {isUnread ? <Icon name="check" /> : <Sign name="unread" />}
          </button>
          <button
            type="button"
            class="plain only-icon"
            aria-label={t(isStarred ? 'unstar' : 'star')}
            title={`${t(isStarred ? 'unstar' : 'star')} (s)`}
            onClick={deeds.star}
          >
            <Sign name={isStarred ? 'starred' : 'star'} />
          </button>
          {folders.length > 0 && (
            <Menu kind="plain only-icon" name={t('moveTo')} label={<Sign name="folder" />}>
              {folders.map((folder) => (
                <Choice key={folder.uuid} act={() => deeds.move(folder)}>
                  {folderName(folder)}
                </Choice>
              ))}
            </Menu>
          )}
          {mailbox.labels.length > 0 && (
            <Menu kind="plain only-icon" name={t('labels')} label={<Sign name="label" />}>
              {mailbox.labels.map((one) => (
                <Choice key={one.uuid} act={() => deeds.label(one)}>
                  <LabelDot color={one.color} /> {one.name}
                </Choice>
              ))}
            </Menu>
          )}
        </>
      )}
      {mayDelete && (
        <button
          type="button"
          class="plain only-icon"
          aria-label={t('delete')}
          title={`${t('delete')} (#)`}
          onClick={deeds.remove}
        >
          <Icon name="trash" />
        </button>
      )}
    </div>
  )
}

const KEYS = [
  ['j', '↓', 'keyNext'],
  ['k', '↑', 'keyBefore'],
  ['o', 'Enter', 'open'],
  ['x', '', 'keySelect'],
  ['r', '', 'reply'],
  ['a', '', 'replyAll'],
  ['f', '', 'forward'],
  ['e', '', 'archive'],
  ['u', '', 'keyUnread'],
  ['s', '', 'star'],
  ['#', '', 'delete'],
  ['c', '', 'newMessage'],
  ['/', '', 'search'],
  ['Esc', '', 'keyShut'],
  ['?', '', 'keys'],
] as const

const Keys = ({ close }: { close: () => void }) => (
  <Dialog title={t('keys')} close={close}>
    <div class="dialog-body">
      <dl class="email-keys">
        {KEYS.map(([key, other, says]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd> {other && <kbd>{other}</kbd>}
            </dt>
            <dd>{t(says)}</dd>
          </div>
        ))}
      </dl>
      <div class="dialog-foot">
        <button type="button" onClick={close}>
          {t('close')}
        </button>
      </div>
    </div>
  </Dialog>
)
