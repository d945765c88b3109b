/**
 * The list of messages: a row per conversation, loaded onwards from its last row, so that the size of a folder doesn't matter.
 */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '#console/client/api.ts'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { cameWith } from '#console/client/screens/data.ts'
import { filled } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { type Item, type Listed, nameOf, openAddress, type Place, shortly, turns, writeAddress } from './mail.ts'
import { LabelChip, Sign } from './parts.tsx'
import { t } from './texts.ts'

const PER_PAGE = 50

export interface List extends Listed {
  items: Item[]
  /** Total of the whole folder; undefined until known. */
  total: number | undefined
  error: unknown
  /** Whether there are more messages after the last one. */
  hasMore: boolean
  more(): void
  /** Reloads the newest messages. The open message keeps its place. */
  refresh(): void
}

/** Path and query of the messages of a place. */
function askedOf({ mailbox, folder, label, q, isUnreadOnly }: Place): { path: string; query: Record<string, string> } {
  const query: Record<string, string> = isUnreadOnly ? { is_read: 'false' } : {}
  if (q) return { path: filled('/email/accounts/{uuid}/messages/search', mailbox.uuid), query: { ...query, q } }
  if (label) return { path: filled('/email/labels/{uuid}/messages', label.uuid), query }
  return { path: filled('/email/folders/{uuid}/messages', folder!.uuid), query }
}

interface Loaded {
  key: string
  items: Item[]
  total: number | undefined
  hasMore: boolean
  error?: unknown
}
/** The most recent lists, so that going back shows them unchanged. */
const kept = new Map<string, Loaded>()
const KEPT = 20

/** Loads the messages of a place, page by page. */
export function useList(place: Place | undefined): List {
  const asked = place && (place.folder || place.label || place.q) ? askedOf(place) : undefined
  const key = asked ? `${asked.path}?${new URLSearchParams(asked.query)}` : ''
  const state = useSignal<Loaded>({ key: '', items: [], total: undefined, hasMore: false })
  const waits = useRef(false)
  /** The list that came with the page isn't requested again. */
  const came = useRef('')
  const set = (loaded: Loaded) => {
    state.value = loaded
    kept.delete(loaded.key)
    kept.set(loaded.key, loaded)
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
  }
  const now = () =>
    state.value.key === key ? state.value : (kept.get(key) ?? { key, items: [], total: undefined, hasMore: false })
  const queryOf = (before?: string) => ({ ...asked!.query, per_page: String(PER_PAGE), ...(before ? { before } : {}) })
  const first = asked && !kept.has(key) ? cameWith(`${asked.path}?${new URLSearchParams(queryOf())}`) : undefined
  if (first) {
    came.current = key
    kept.set(key, { key, items: first.data, total: first.meta.total, hasMore: first.data.length === PER_PAGE })
  }
  const ask = async (before?: string) => {
    const query = queryOf(before)
    const { data, meta } = await call('get', asked!.path, { params: { query } })
    return { rows: data as Item[], total: meta.total as number }
  }
  const refresh = () => {
    if (!asked) return
    ask().then(
      ({ rows, total }) => {
        const last = rows.at(-1)
        const isWhole = rows.length < PER_PAGE
        const known = new Set(rows.map(({ uuid }) => uuid))
        // More messages of the last row's second may follow it; messages before it that are missing now were removed.
        const items = now().items
        const place = items.findIndex(({ uuid }) => uuid === last?.uuid)
        const isBehind = ({ date }: Item, n: number) => date < last!.date || (date === last!.date && n > place)
        const later = isWhole || !last ? [] : items.filter((one, n) => isBehind(one, n) && !known.has(one.uuid))
        set({ key, items: [...rows, ...later], total, hasMore: later.length ? now().hasMore : !isWhole })
      },
      (error) => set({ ...now(), error }),
    )
  }
  useEffect(() => {
    if (!asked) return
    state.value = now()
    if (came.current !== key) refresh()
    came.current = ''
  }, [key, turns.value])
  const more = () => {
    const { items, hasMore } = now()
    if (!asked || !hasMore || waits.current) return
    waits.current = true
    ask(items.at(-1)?.uuid)
      .then(
        ({ rows }) => {
          const known = new Set(now().items.map(({ uuid }) => uuid))
          set({
            ...now(),
            items: [...now().items, ...rows.filter(({ uuid }) => !known.has(uuid))],
            hasMore: rows.length === PER_PAGE,
          })
        },
        (error) => set({ ...now(), error }),
      )
      .finally(() => (waits.current = false))
  }
  /** Replaces the items, and adjusts the folder's total by the difference. */
  const replace = (next: Item[]) => {
    const { items, total, ...rest } = now()
    set({ ...rest, items: next, total: total === undefined ? total : Math.max(0, total + next.length - items.length) })
  }
  const { items, total, hasMore, error } = now()
  return {
    items,
    total,
    hasMore,
    error,
    more,
    refresh,
    patch: (uuids, changes) =>
      set({ ...now(), items: now().items.map((one) => (uuids.includes(one.uuid) ? { ...one, ...changes } : one)) }),
    drop: (uuids) => {
      const before = now().items
      replace(before.filter(({ uuid }) => !uuids.includes(uuid)))
      return (some) => {
        if (some.length) replace(inPlace(now().items, some, before))
      }
    },
  }
}

/**
 * Puts messages back among the items: each after the ones that it followed before. Messages that arrived since are placed by
 * date.
 */
function inPlace(items: Item[], some: Item[], before: Item[]): Item[] {
  const place = new Map(before.map(({ uuid }, n) => [uuid, n]))
  const isHere = new Set(items.map(({ uuid }) => uuid))
  const next = [...items]
  for (const one of some) {
    const was = place.get(one.uuid)
    if (was === undefined || isHere.has(one.uuid)) continue
    const n = next.findIndex(({ uuid, date }) => (place.has(uuid) ? place.get(uuid)! > was : date < one.date))
    next.splice(n < 0 ? next.length : n, 0, one)
  }
  return next
}

/** Messages of the list in one thread, newest first. */
export type Conversation = Item[]

export const conversationsOf = (items: Item[]): Conversation[] => [...Map.groupBy(items, threadOf).values()]
const threadOf = ({ account_uuid, thread_key, status, uuid }: Item) =>
  status === 'draft' ? uuid : `${account_uuid} ${thread_key}`

interface Props {
  place: Place
  list: List
  conversations: Conversation[]
  picked: Signal<Set<string>>
  /** Uuid of the row with the keyboard focus. */
  current: Signal<string | undefined>
  open: string | undefined
}

export function Messages({ place, list, conversations, picked, current, open }: Props) {
  const end = useRef<HTMLDivElement>(null)
  const more = useRef(list.more)
  more.current = list.more
  useEffect(() => {
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more.current()
      },
      { rootMargin: '600px' },
    )
    seen.observe(end.current!)
    return () => seen.disconnect()
  }, [list.items.length])
  const isOpen = (some: Conversation) => some.some(({ uuid }) => uuid === open)
  const entry = conversations.some(([first]) => first!.uuid === current.value) ? current.value : conversations[0]?.[0]?.uuid
  return (
    <>
      {list.error && !list.items.length ? (
        <Trouble error={list.error} again={list.refresh} />
      ) : list.total === undefined ? (
        <p class="quiet email-note" aria-busy="true">
          {t('loading')}
        </p>
      ) : conversations.length === 0 ? (
        <p class="quiet email-note">{place.q ? t('nothingFound') : place.isUnreadOnly ? t('noneUnread') : t('empty')}</p>
      ) : (
        <ul class="email-rows">
          {conversations.map((some) => (
            <Row
              key={some[0]!.uuid}
              some={some}
              isOpen={isOpen(some)}
              isEntry={some[0]!.uuid === entry}
              isPicked={picked.value.has(some[0]!.uuid)}
              showsTo={place.folder?.type === 'sent' || place.folder?.type === 'drafts'}
              pick={(on) => {
                const next = new Set(picked.value)
                on ? next.add(some[0]!.uuid) : next.delete(some[0]!.uuid)
                picked.value = next
              }}
              arrive={() => (current.value = some[0]!.uuid)}
            />
          ))}
        </ul>
      )}
      <div ref={end} class="email-end">
        {list.hasMore && (
          <button type="button" class="plain" onClick={list.more}>
            {t('more')}
          </button>
        )}
      </div>
      <p class="unseen" role="status">
        {list.total === undefined ? '' : t('count', { count: counted.format(list.total) })}
      </p>
    </>
  )
}

interface RowProps {
  some: Conversation
  isOpen: boolean
  isEntry: boolean
  isPicked: boolean
  showsTo: boolean
  pick: (on: boolean) => void
  arrive: () => void
}

const STATES = { draft: 'draft', queued: 'queued', sending: 'queued', failed: 'failed' } as const

function Row({ some, isOpen, isEntry, isPicked, showsTo, pick, arrive }: RowProps) {
  const first = some[0]!
  const isUnread = some.some(({ is_read }) => !is_read)
  const people = showsTo ? first.to : first.from ? [first.from] : []
  const who = people.length ? people.map(nameOf).join(', ') : t(showsTo ? 'nobody' : 'unknownSender')
  const subject = first.subject || t('noSubject')
  const state = first.status in STATES ? t(STATES[first.status as keyof typeof STATES]) : undefined
  const labels = [...new Map(some.flatMap(({ labels }) => labels).map((one) => [one.uuid, one])).values()]
  const hasFiles = some.some(({ attachments }) => attachments.some(({ is_inline }) => !is_inline))
  const to = first.status === 'draft' || first.status === 'failed' ? writeAddress(first.uuid) : openAddress(first.uuid)
  return (
    <li class={`email-row${isUnread ? ' unread' : ''}${isOpen ? ' open' : ''}${isPicked ? ' picked' : ''}`}>
      <input
        type="checkbox"
        aria-label={t('select', { subject })}
        checked={isPicked}
        onChange={(event) => pick(event.currentTarget.checked)}
      />
      <a href={to} data-uuid={first.uuid} tabIndex={isEntry ? 0 : -1} aria-current={isOpen ? 'true' : undefined} onFocus={arrive}>
        <span class="email-line">
          <span class="email-who">
            {isUnread && <span class="unseen">{t('unread')}: </span>}
            {who}
            {some.length > 1 && <span class="quiet"> {counted.format(some.length)}</span>}
          </span>
          {first.is_answered && <Sign name="reply" says={t('answered')} />}
          {hasFiles && <Sign name="clip" says={t('hasFiles')} />}
          {some.some(({ is_starred }) => is_starred) && <Sign name="starred" says={t('starred')} />}
          <time dateTime={first.date}>{shortly(first.date)}</time>
        </span>
        <span class="email-line">
          {state && <span class={`tag ${first.status === 'failed' ? 'bad' : 'warn'}`}>{state}</span>}
          <span class="email-subject">{subject}</span>
        </span>
        <span class="email-line">
          <span class="email-snippet">{first.error ?? first.snippet}</span>
          {labels.map((one) => (
            <LabelChip key={one.uuid} label={one} />
          ))}
        </span>
      </a>
    </li>
  )
}
