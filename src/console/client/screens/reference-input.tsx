/** Input of a reference: finds records, and creates missing ones. */
import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { go } from '../addresses.ts'
import { ApiError, call } from '../api.ts'
import type { Tied } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { tell } from '../parts/toasts.tsx'
import { t } from '../texts/texts.ts'
import { say } from './editor-texts.ts'
import { isEmpty } from './form-values.ts'
import { useNames } from './named.tsx'
import { type Field, listAddress, type Row, summaryOf, titleOf } from './shape.ts'

const PAUSE_MS = 150
const SHOWN = '20'

/** Pending lookups and creations. Each resolves to an error message, or to undefined. */
const lookups = new Set<Promise<string | undefined>>()
function beginLookup(): (failure?: string) => void {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  lookups.add(promise)
  return (failure) => {
    resolve(failure)
    // Delayed, so that a form submitted by the same key still gets the error.
    if (failure) setTimeout(() => lookups.delete(promise))
    else lookups.delete(promise)
  }
}

/** Waits for pending lookups. Returns why a form can't be sent; undefined: it can. */
export async function unsettled(): Promise<string | undefined> {
  while (lookups.size) {
    const failure = (await Promise.all(lookups)).find((one) => one)
    if (failure) return failure
  }
  return undefined
}

interface Option {
  key: unknown
  label: string
  row?: Row
  /** Option that creates a record with this name. */
  make?: string
}

interface ReferenceProps {
  field: Field
  value: unknown
  choose: (key: unknown, chosen?: Row) => void
  tied?: Tied
  label?: string
  placeholder?: string
  /** The selected record, if known. */
  found?: Row | undefined
  /** Clears itself after a selection, for the next one. */
  clears?: boolean
}

/** Finds a record by a few letters. Where no list contains them, takes the id. */
export function ReferenceInput({ field, value, choose, tied, label, placeholder, found, clears }: ReferenceProps) {
  const screen = summaryOf(field.refers_to?.screen)
  const open = useSignal(false)
  const typed = useSignal<string | undefined>(undefined)
  const chosen = useSignal<Row | undefined>(found)
  const rows = useSignal<Row[]>([])
  /** Search text of the current rows; undefined: not loaded yet. */
  const told = useSignal<string | undefined>(undefined)
  /** Enter or Tab was pressed before the rows arrived: the result is selected then. */
  const waits = useRef<'first' | 'only' | undefined>(undefined)
  const endLookup = useRef<ReturnType<typeof beginLookup> | undefined>(undefined)
  const wait = (way: 'first' | 'only') => {
    waits.current = way
    endLookup.current ??= beginLookup()
  }
  const stop = (failure?: string) => {
    waits.current = undefined
    endLookup.current?.(failure)
    endLookup.current = undefined
  }
  useEffect(() => () => stop(), [])
  /** Whether the loaded record still matches the value. */
  const isChosen = screen !== undefined && chosen.value !== undefined && String(chosen.value[screen.key_field]) === String(value)
  const mark = useSignal(0)
  const own = useId()
  const id = tied?.id ?? own
  useEffect(() => {
    if (!screen || isEmpty(value) || clears || isChosen || field.also?.includes(String(value))) return
    const ending = new AbortController()
    call('get', `${screen.path}/${encodeURIComponent(String(value))}`, { signal: ending.signal }).then(
      ({ data }) => (chosen.value = data),
      () => {}, // it is shown as a number
    )
    return () => ending.abort()
  }, [value])
  /** Puts titles that begin with the search text first. */
  const bestFirst = (all: Row[]) => {
    const begun = (row: Row) =>
      titleOf(screen!, row)
        .toLowerCase()
        .startsWith(typed.value?.toLowerCase() ?? '')
    return all.toSorted((a, b) => Number(begun(b)) - Number(begun(a)))
  }
  function take(option: Option | undefined) {
    if (!option) return
    if (option.make) return void make(option.make)
    chosen.value = option.row
    leave()
    choose(option.key, option.row)
  }
  /** Creates a record that needs only a name; otherwise opens its form with the name, and keeps the present form as a draft. */
  async function make(name: string) {
    leave()
    const end = beginLookup()
    try {
      const { data } = await call('post', screen!.path, { body: { [screen!.title_field!]: name } })
      take({ key: data[screen!.key_field], label: name, row: data })
      end()
      tell(say('made', { noun: screen!.noun, name }))
    } catch (error) {
      end((error as Error).message)
      if (!(error instanceof ApiError && error.status === 422)) return tell((error as Error).message)
      const form = `${listAddress(screen!)}/new?${new URLSearchParams({ [screen!.title_field!]: name })}`
      // A dialog has no draft: it stays open, and the other form opens in a new tab.
      if (!document.getElementById(id)?.closest('dialog')) return go(form)
      window.open(form, '_blank', 'noopener')
      tell(say('elsewhere', { noun: screen!.noun }))
    }
  }
  const notChosen = () => say('not_chosen', { field: field.label, text: typed.value?.trim() ?? '' })
  const leave = (failure?: string) => {
    stop(failure)
    typed.value = undefined
    open.value = false
  }
  /** Selects the record meant by the input: the best match, or the only possible one. Input is never dropped silently. */
  const settle = (way: 'first' | 'only') => {
    const said = typed.value?.trim() ?? ''
    const same = rows.value.find((row) => titleOf(screen!, row).toLowerCase() === said.toLowerCase())
    const row = way === 'first' ? rows.value[0] : (same ?? (rows.value.length === 1 ? rows.value[0] : undefined))
    if (row) return take({ key: row[screen!.key_field], label: titleOf(screen!, row), row })
    if (way === 'first' && open.value) return stop(notChosen())
    if (!said) return leave()
    tell(notChosen())
    endLookup.current ??= beginLookup()
    leave(notChosen())
  }
  useEffect(() => {
    if (!screen || !(open.value || waits.current)) return
    const ending = new AbortController()
    const query: Record<string, string> = {
      per_page: SHOWN,
      ...(typed.value && screen.is_searchable ? { search: typed.value } : {}),
    }
    const timer = setTimeout(
      () => {
        call('get', screen.path, { params: { query }, signal: ending.signal }).then(
          ({ data }) => {
            rows.value = bestFirst(data as Row[])
            told.value = typed.value ?? ''
            mark.value = 0
            if (waits.current) settle(waits.current)
          },
          (error) => {
            if (waits.current && !ending.signal.aborted) leave(error.message)
          },
        )
      },
      typed.value ? PAUSE_MS : 0,
    )
    return () => {
      clearTimeout(timer)
      ending.abort()
    }
  }, [typed.value, open.value])
  if (!screen)
    return (
      <input
        {...tied}
        aria-label={label}
        inputMode="numeric"
        value={isEmpty(value) ? '' : String(value)}
        onInput={(event) =>
          choose(event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value) || event.currentTarget.value)
        }
      />
    )

  const also = (field.also ?? []).map((word) => ({ key: word as unknown, label: word.charAt(0).toUpperCase() + word.slice(1) }))
  const isTold = told.value === (typed.value ?? '')
  const text = typed.value?.trim()
  const options: Option[] = [
    ...(typed.value ? [] : also),
    ...rows.value.map((row) => ({ key: row[screen.key_field] as unknown, label: titleOf(screen, row), row })),
    ...(tied && text && isTold && !rows.value.length && screen.may_create && /^(name|title)$/.test(screen.title_field ?? '')
      ? [{ key: '', label: say('make', { noun: screen.noun, name: text }), make: text }]
      : []),
  ]
  const isAlso = also.find(({ key }) => key === value)
  const shown =
    typed.value ?? (isEmpty(value) ? '' : (isAlso?.label ?? (isChosen ? titleOf(screen, chosen.value!) : `#${value}`)))
  const walk = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      if (open.value) mark.value = Math.min(mark.value + 1, options.length - 1)
      open.value = true
    } else if (event.key === 'ArrowUp') mark.value = Math.max(mark.value - 1, 0)
    else if (event.key === 'Enter' && open.value && !event.ctrlKey && !event.metaKey) {
      if (isTold || !typed.value) take(options[mark.value])
      else wait('first')
    } else if (event.key === 'Escape' && open.value) {
      leave()
      event.stopPropagation()
    } else return
    event.preventDefault()
  }
  return (
    <div class="combo">
      <input
        {...tied}
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-label={label}
        placeholder={placeholder ?? t('choose')}
        aria-expanded={open.value}
        aria-controls={open.value ? `${id}-list` : undefined}
        aria-activedescendant={open.value && options.length ? `${id}-${mark.value}` : undefined}
        value={shown}
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => (open.value = true)}
        onInput={(event) => {
          if (waits.current) stop(notChosen())
          typed.value = event.currentTarget.value
          open.value = true
        }}
        onKeyDown={walk}
        onBlur={() => {
          if (typed.value === '') take({ key: undefined, label: '' })
          else if (!typed.value || !tied) leave()
          else if (isTold) settle('only')
          else {
            wait(waits.current ?? 'only')
            open.value = false
          }
        }}
      />
      {open.value && (
        <ul id={`${id}-list`} role="listbox" aria-label={field.label}>
          {options.map((option, n) => (
            <li
              key={String(option.key)}
              id={`${id}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === mark.value}
              onPointerDown={(event) => {
                event.preventDefault()
                take(option)
              }}
            >
              {option.label}
            </li>
          ))}
          {!options.length && isTold && (
            <li role="option" tabIndex={-1} aria-selected="false" aria-disabled="true" class="quiet">
              {t('nothingFound')}
            </li>
          )}
        </ul>
      )}
    </div>
  )
}

export function ReferencesInput({
  field,
  tied,
  value,
  row,
  set,
}: {
  field: Field
  tied: Tied
  value: unknown[]
  row?: Row | undefined
  set: (value: unknown) => void
}) {
  const near: unknown =
    row?.[field.name.replace(/_ids$/, 's')] ?? (field.refers_to?.embed ? row?.[field.refers_to.embed] : undefined)
  const screen = summaryOf(field.refers_to?.screen)
  const beside = Array.isArray(near) ? (near as Row[]) : []
  const rowOf = (key: unknown) => beside.find((one) => one[screen?.key_field ?? 'id'] === key)
  const lookedUp = useNames(
    screen,
    value.filter((key) => !rowOf(key)),
  )
  const nameOf = (key: unknown) => {
    const one = rowOf(key)
    if (!one) return lookedUp(key) ?? `#${key}`
    return screen ? titleOf(screen, one) : String(one.name ?? one.title ?? `#${key}`)
  }
  return (
    <>
      <ul class="chips">
        {value.map((key) => (
          <li key={String(key)}>
            {nameOf(key)}
            <button
              type="button"
              aria-label={t('remove', { name: nameOf(key) })}
              onClick={() => set(value.filter((one) => one !== key))}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      <ReferenceInput
        field={field}
        tied={tied}
        value={undefined}
        clears
        choose={(key) => key !== undefined && !value.includes(key) && set([...value, key])}
      />
    </>
  )
}
