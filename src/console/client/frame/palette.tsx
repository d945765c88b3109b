/** Command palette: go to a module, create a record, find a record. */
import { signal, useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { at, go } from '../addresses.ts'
import { call } from '../api.ts'
import { boot } from '../boot.ts'
import { Dialog } from '../parts/dialog.tsx'
import {
  hasSettings,
  listAddress,
  pageAddress,
  pages,
  type Row,
  recordAddress,
  screens,
  startAddress,
  titleOf,
} from '../screens/shape.ts'
import { t } from '../texts/texts.ts'
import { signOut } from './account.tsx'

export const paletteOpen = signal(false)
export const keysOpen = signal(false)

interface Command {
  key: string
  group: string
  label: string
  about?: string
  run: () => void
}

const leading = (to: string) => () => go(to)
const standing: Command[] = [
  ...pages.map((page) => ({
    key: `page-${page.key}`,
    group: t('goTo'),
    label: page.title,
    run: leading(pageAddress(page)),
  })),
  ...screens.map((screen) => ({
    key: `go-${screen.key}`,
    group: t('goTo'),
    label: screen.title,
    run: leading(startAddress(screen)),
  })),
  ...screens
    .filter(({ may_create }) => may_create)
    .map((screen) => ({
      key: `new-${screen.key}`,
      group: t('create'),
      label: t('newOne', { noun: screen.noun }),
      run: leading(`${listAddress(screen)}/new`),
    })),
  ...screens.flatMap((screen) =>
    screen.list_actions.map(({ key, label }) => ({
      key: `do-${key}`,
      group: t('actions'),
      label,
      about: screen.title,
      run: leading(`${listAddress(screen)}?do=${key}`),
    })),
  ),
  ...(hasSettings
    ? [{ key: 'settings', group: t('goTo'), label: t('settings'), run: leading(`${boot.realm?.path}/settings`) }]
    : []),
  { key: 'account', group: t('account'), label: t('yourAccount'), run: leading(`${boot.realm?.path}/account`) },
  { key: 'keys', group: t('account'), label: t('keys'), run: () => void (keysOpen.value = true) },
  { key: 'sign-out', group: t('account'), label: t('signOut'), run: () => void signOut() },
]

const FOUND = 30
const PAUSE_MS = 150
/** Minimum number of letters for a search. */
const LETTERS = 3

/** Returns whether the label contains all words; words of one or two letters only at the start of a word. */
const fits = (label: string, words: string[]) => {
  const lower = ` ${label.toLowerCase()}`
  return words.every((word) => lower.includes(` ${word}`) || (word.length > 2 && lower.includes(word)))
}

export function Palette() {
  const asked = useSignal('')
  const chosen = useSignal(0)
  const records = useSignal<Command[]>([])
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  const words = asked.value.toLowerCase().split(/\s+/).filter(Boolean)
  const commands = standing.filter(({ label }) => fits(label, words)).slice(0, FOUND)
  const all = [...commands, ...records.value]

  useEffect(() => {
    chosen.value = 0
    const text = asked.value.trim()
    records.value = []
    if (text.length < LETTERS) return
    const ending = new AbortController()
    const search = boot.me?.workspace ? everywhere : inList
    const timer = setTimeout(() => {
      search(text, ending.signal).then(
        (found) => (records.value = found),
        () => {},
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [asked.value])
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [chosen.value])

  const run = (command: Command | undefined) => {
    if (!command) return
    paletteOpen.value = false
    // After the dialog has restored the focus.
    setTimeout(command.run)
  }
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') chosen.value = Math.min(chosen.value + 1, all.length - 1)
    else if (event.key === 'ArrowUp') chosen.value = Math.max(chosen.value - 1, 0)
    else if (event.key === 'Enter') run(all[chosen.value])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={t('commands')} hideTitle kind="palette" close={() => (paletteOpen.value = false)}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={all.length ? `${id}-${chosen.value}` : undefined}
        aria-label={t('commands')}
        placeholder={t('commandsPlaceholder')}
        autocomplete="off"
        autofocus
        value={asked.value}
        onInput={(event) => (asked.value = event.currentTarget.value)}
        onKeyDown={walk}
      />
      <ul ref={list} id={id} role="listbox" aria-label={t('commands')}>
        {all.map((command, n) => (
          <Fragment key={command.key}>
            {command.group !== all[n - 1]?.group && <li role="presentation">{command.group}</li>}
            <li
              id={`${id}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === chosen.value}
              onClick={() => run(command)}
              onPointerMove={() => (chosen.value = n)}
            >
              {command.label}
              {command.about && <small>{command.about}</small>}
            </li>
          </Fragment>
        ))}
      </ul>
      {!all.length && (
        <p class="none" role="status">
          {t('commandsNone')}
        </p>
      )}
    </Dialog>
  )
}

/** Searches records of all modules. */
async function everywhere(text: string, signal: AbortSignal): Promise<Command[]> {
  const { data } = await call('get', '/search', { params: { query: { q: text } }, signal })
  return (data as Group[]).flatMap(({ path, hits }) => {
    const screen = screens.find((one) => one.path === path)
    if (!screen?.has_record) return []
    return hits.map(({ key, title, number, about }) => ({
      key: `${screen.key}-${key}`,
      group: screen.title,
      label: [...new Set([number, title, about])].filter(Boolean).join(' · ') || `${screen.noun} ${key}`,
      run: leading(recordAddress(screen, key)),
    }))
  })
}

interface Group {
  path: string
  hits: { key: number | string; title: string | null; number: string | null; about: string | null }[]
}

/** Searches records of the current list: the operator's API has no global search. */
async function inList(text: string, signal: AbortSignal): Promise<Command[]> {
  const here = screens.find((screen) => `${at.value.pathname}/`.startsWith(`${listAddress(screen)}/`))
  if (!here?.is_searchable || !here.has_record) return []
  const { data } = await call('get', here.path, { params: { query: { search: text, per_page: 8 } }, signal })
  return (data as Row[]).map((row) => ({
    key: `${here.key}-${row[here.key_field]}`,
    group: here.title,
    label: titleOf(here, row),
    run: leading(recordAddress(here, row[here.key_field])),
  }))
}
