/**
 * Month view of records by a date or instant, the latter in the user's time zone: a grid, or on a phone a list of the days with
 * records. Month, day and filters are in the address.
 */
import { useEffect, useRef } from 'preact/hooks'
import { at } from '../addresses.ts'
import { boot } from '../boot.ts'
import { Icon } from '../parts/icon.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { language, t } from '../texts/texts.ts'
import { useAnswer } from './data.ts'
import { atUtc, DAYS, dayOf, instantAt, later, monthsLater, rangeOf, todayOf } from './days.ts'
import { Filters } from './filters.tsx'
import { Layouts } from './layouts.tsx'
import { queryOf, refine } from './list-query.ts'
import { isNarrow } from './narrow.ts'
import { NewLink } from './new-link.tsx'
import { type Field, listAddress, may, type Row, recordAddress, type Screen, titleOf } from './shape.ts'
import { counted, locale, textFor, tone } from './values.tsx'

/** Maximum number of records in one reply of the API. */
const MAX_ROWS = '100'
/** Maximum number of records shown in a day's cell. */
const SHOWN = 4
const form = (options: Intl.DateTimeFormatOptions) => {
  const made = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  return (day: string) => made.format(atUtc(day))
}
const monthName = form({ month: 'long', year: 'numeric' })
const dayName = form({ weekday: 'long', day: 'numeric', month: 'long' })
const weekday = form({ weekday: 'short' })
const weekdayName = form({ weekday: 'long' })
const hour = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

/** Returns the first day of the week: 1 is Monday. */
function firstWeekday(): number {
  const of = new Intl.Locale(boot.me?.workspace?.locale ?? language) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number }
    weekInfo?: { firstDay: number }
  }
  return (of.getWeekInfo?.() ?? of.weekInfo)?.firstDay ?? 1
}

/** Returns the weeks of a month, day by day. */
function weeksOf(month: string): string[][] {
  const first = `${month}-01`
  const before = (atUtc(first).getUTCDay() - firstWeekday() + DAYS) % DAYS
  const end = `${monthsLater(month, 1)}-01`
  const weeks: string[][] = []
  for (let day = later(first, -before); day < end; day = later(day, DAYS))
    weeks.push(Array.from({ length: DAYS }, (_, n) => later(day, n)))
  return weeks
}

/** Returns the date field: the address's, or else a due date, or the first one. */
function fieldOf({ dates, list }: Screen): Field {
  const asked = at.value.searchParams.get('by')
  const name = dates.find((one) => one === asked) ?? dates.find((one) => /due|deadline|expected/.test(one)) ?? dates[0]
  return list.columns.find((column) => column.name === name)!
}

/** Shows another month or day without a new history entry. */
const show = (changes: Record<string, string>) => refine(changes, { replace: true })

export function CalendarScreen({ screen }: { screen: Screen }) {
  const field = fieldOf(screen)
  const now = todayOf(field)
  const asked = at.value.searchParams.get('month') ?? ''
  const month = /^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(asked) ? asked : now.slice(0, 7)
  const weeks = weeksOf(month)
  const [from, to] = [weeks[0]![0]!, weeks.at(-1)!.at(-1)!]
  const { page: _, ...filters } = queryOf(screen)
  const query = {
    ...filters,
    ...{ per_page: MAX_ROWS, sort: field.name, direction: 'asc' },
    ...rangeOf(field, from, to),
  }
  const { answer, error, isAged, again } = useAnswer(may(screen.allow) ? screen.path : undefined, query)
  const rows: Row[] = Array.isArray(answer?.data) ? answer.data : []
  const byDay = Map.groupBy(rows, (row) => dayOf(field, row[field.name]))
  const total = Number(answer?.meta?.total ?? rows.length)
  const shown = { screen, field, now, month, weeks, byDay }
  return (
    <ScreenFrame
      title={screen.title}
      tools={
        <>
          <Layouts screen={screen} here="calendar" />
          <NewLink screen={screen} />
        </>
      }
    >
      <Filters screen={screen} query={filters} without={screen.dates.flatMap((name) => [`${name}_from`, `${name}_to`])} />
      <div class="month">
        <h2 aria-live="polite">{monthName(`${month}-01`)}</h2>
        <button
          type="button"
          class="only-icon back"
          aria-label={t('previous')}
          onClick={() => show({ month: monthsLater(month, -1) })}
        >
          <Icon name="left" />
        </button>
        <button type="button" class="only-icon on" aria-label={t('next')} onClick={() => show({ month: monthsLater(month, 1) })}>
          <Icon name="right" />
        </button>
        <button type="button" onClick={() => show({ month: now.slice(0, 7), day: now })}>
          {t('today')}
        </button>
        {screen.dates.length > 1 && (
          <label class="filter">
            <span>{t('calendarBy')}</span>
            <select value={field.name} onChange={(event) => show({ by: event.currentTarget.value })}>
              {screen.dates.map((name) => (
                <option key={name} value={name}>
                  {screen.list.columns.find((column) => column.name === name)?.label}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {error && !answer ? <Trouble error={error} again={again} /> : null}
      {total > rows.length && rows.length > 0 && (
        <p class="notice" role="status">
          {t('calendarMost', { count: counted.format(rows.length), total: counted.format(total) })}
        </p>
      )}
      <div aria-busy={isAged && !answer}>{isNarrow.value ? <Agenda {...shown} isWhole={!!answer} /> : <Grid {...shown} />}</div>
    </ScreenFrame>
  )
}

interface Shown {
  screen: Screen
  field: Field
  /** The current day. */
  now: string
  month: string
  weeks: string[][]
  byDay: Map<string, Row[]>
}

function Entry({ screen, field, row }: { screen: Screen; field: Field; row: Row }) {
  const state = screen.list.columns.find(({ name, kind }) => name === 'status' && kind === 'enum')
  const word = state && String(row[state.shown_as ?? state.name] ?? row[state.name] ?? '')
  const key = row[screen.key_field]
  // A number alone means little to users.
  const about = screen.title_field === 'number' && row.title ? ` · ${row.title}` : ''
  const said = (
    <>
      {field.kind === 'instant' && (
        <time class="numbers" dateTime={row[field.name]}>
          {`${hour.format(new Date(row[field.name]))} `}
        </time>
      )}
      {titleOf(screen, row)}
      {about}
      {word && <span class="unseen">, {textFor(state, word, row)}</span>}
    </>
  )
  const kind = `entry ${word ? tone(word) : ''}`
  return screen.record ? (
    <a class={kind} href={recordAddress(screen, key)}>
      {said}
    </a>
  ) : (
    <span class={kind}>{said}</span>
  )
}

/** Returns the address of the list, filtered by one day. */
const dayAddress = (screen: Screen, field: Field, day: string) => {
  const known = screen.list.filters.map((filter) => filter.name)
  const asked = new URLSearchParams([...at.value.searchParams].filter(([one]) => known.includes(one)))
  for (const [name, value] of Object.entries(rangeOf(field, day, day))) asked.set(name, value)
  return `${listAddress(screen)}?${asked}`
}

/** Default hour of a new record on a chosen day. */
const NOON = 12
/** Returns the address of a new record on that day; undefined where the user can't create one. */
const newAddress = (screen: Screen, { name, kind }: Field, day: string) =>
  screen.create && may(screen.create.allow) && screen.create.fields.some((one) => one.name === name)
    ? `${listAddress(screen)}/new?${name}=${kind === 'instant' ? instantAt(day, NOON).toISOString() : day}`
    : undefined

/** Grid with one focusable day; arrow keys move to other days, Enter opens the day's record or a new one. */
function Grid({ screen, field, now, month, weeks, byDay }: Shown) {
  const box = useRef<HTMLTableElement>(null)
  const walked = useRef(false)
  const asked = at.value.searchParams.get('day') ?? ''
  const chosen = asked.startsWith(month) ? asked : now.startsWith(month) ? now : `${month}-01`
  useEffect(() => {
    if (walked.current) box.current?.querySelector<HTMLElement>(`[data-day="${chosen}"]`)?.focus()
    walked.current = false
  }, [chosen])
  const choose = (day: string) => {
    walked.current = true
    show({ month: day.slice(0, 7), day })
  }
  const walk = (event: KeyboardEvent, day: string) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return
    const along = getComputedStyle(event.currentTarget as Element).direction === 'rtl' ? -1 : 1
    const steps: Record<string, number> = { ArrowRight: along, ArrowLeft: -along, ArrowDown: DAYS, ArrowUp: -DAYS }
    const months = { PageDown: 1, PageUp: -1 }[event.key]
    if (steps[event.key]) choose(later(day, steps[event.key]!))
    else if (months) choose(`${monthsLater(day.slice(0, 7), months)}-01`)
    else if (event.key === 'Enter') (event.currentTarget as Element).querySelector<HTMLElement>('a')?.click()
    else return
    event.preventDefault()
  }
  return (
    <table class="calendar" role="grid" ref={box} aria-label={monthName(`${month}-01`)} aria-describedby="calendar-says">
      <caption class="unseen" id="calendar-says">
        {t('calendarSays')}
      </caption>
      <thead>
        <tr>
          {weeks[0]!.map((day) => (
            <th key={day} scope="col" aria-label={weekdayName(day)}>
              {weekday(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const rows = byDay.get(day) ?? []
              const to = newAddress(screen, field, day)
              const number = Number(day.slice(8))
              return (
                <td
                  key={day}
                  role="gridcell"
                  data-day={day}
                  class={day.startsWith(month) ? undefined : 'other'}
                  tabIndex={day === chosen ? 0 : -1}
                  aria-current={day === now ? 'date' : undefined}
                  onKeyDown={(event) => walk(event, day)}
                >
                  <span class="unseen">{dayName(day)}</span>
                  {rows.slice(0, rows.length > SHOWN ? SHOWN - 1 : SHOWN).map((row) => (
                    <Entry key={row[screen.key_field]} screen={screen} field={field} row={row} />
                  ))}
                  {rows.length > SHOWN && (
                    <a class="rest" href={dayAddress(screen, field, day)}>
                      {t('calendarMore', { count: counted.format(rows.length - SHOWN + 1) })}
                    </a>
                  )}
                  {to ? (
                    <a
                      class="number"
                      tabIndex={-1}
                      href={to}
                      aria-label={`${t('newOne', { noun: screen.noun })}, ${dayName(day)}`}
                    >
                      {number}
                    </a>
                  ) : (
                    <span class="number">{number}</span>
                  )}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** List of the month's days with records. */
function Agenda({ screen, field, now, month, weeks, byDay, isWhole }: Shown & { isWhole: boolean }) {
  const days = weeks.flat().filter((day) => day.startsWith(month) && byDay.has(day))
  if (!days.length) return isWhole ? <p class="quiet">{t('calendarNone')}</p> : null
  return (
    <div class="agenda">
      {days.map((day) => (
        <section key={day} aria-current={day === now ? 'date' : undefined}>
          <h3>{dayName(day)}</h3>
          {byDay.get(day)!.map((row) => (
            <Entry key={row[screen.key_field]} screen={screen} field={field} row={row} />
          ))}
        </section>
      ))}
    </div>
  )
}
