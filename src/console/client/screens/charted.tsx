/** Chart of a list's records over time: above the list within its filters, and in short on the home screen. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Chart, type Line, type Unit } from '../parts/chart.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { named } from '../texts/labels.ts'
import { textsOf } from '../texts/texts.ts'
import { useAnswer } from './data.ts'
import { atUtc, later, monthsLater, today } from './days.ts'
import type { SeriesChart } from './shape.ts'
import { textFor } from './values.tsx'

const t = textsOf({
  en: {
    chart: 'Chart',
    span: 'Span',
    of: 'Figure',
    currency: 'Currency',
    split: 'Split by',
    none: 'Not split',
    nothing: 'Nothing yet in the last periods. What is made is drawn here.',
    days: '30 days',
    weeks: '26 weeks',
    months: '12 months',
    years: '3 years',
    overTime: '{title} over time',
    loading: 'Loading …',
  },
  de: {
    chart: 'Diagramm',
    span: 'Spanne',
    of: 'Wert',
    currency: 'Währung',
    split: 'Geteilt nach',
    none: 'Nicht geteilt',
    nothing: 'In letzter Zeit noch nichts. Was angelegt wird, erscheint hier.',
    days: '30 Tage',
    weeks: '26 Wochen',
    months: '12 Monate',
    years: '3 Jahre',
    overTime: '{title} im Verlauf',
    loading: 'Wird geladen …',
  },
})

/** Available ranges, each with its period and number of periods. */
const SPANS = { days: ['day', 30], weeks: ['week', 26], months: ['month', 12], years: ['month', 36] } as const
type Span = keyof typeof SPANS
const usualSpan = (unit: Unit): Span => (({ day: 'days', week: 'weeks', month: 'months' }) as const)[unit]

/** Returns one day in the first and one in the last period of a range. */
function daysOf(span: Span, isAhead: boolean) {
  const [unit, count] = SPANS[span]
  const now = today()
  const far = (isAhead ? 1 : -1) * (count - 1)
  const other =
    unit === 'month'
      ? `${monthsLater(now.slice(0, 7), far)}-01`
      : atUtc(later(now, far * (unit === 'week' ? 7 : 1)))
          .toISOString()
          .slice(0, 10)
  return isAhead ? { from: now, to: other } : { from: other, to: now }
}

interface Told {
  unit: Unit
  periods: string[]
  lines: { value: string | null; currency: string | null; total: number; values: number[] }[]
}

interface Drawn extends Told {
  /** Selection at the time of the request. */
  chosen: string
  split: string
}

interface Props {
  title: string
  chart: SeriesChart
  query?: Record<string, string>
  /** The selection is shown above. */
  isShort?: boolean
}

export function SeriesOf({ title, chart, query = {}, isShort = false }: Props) {
  const span = useSignal<Span>(usualSpan(chart.unit))
  const of = useSignal(chart.of[0]!.value)
  const split = useSignal(isShort ? '' : (chart.split ?? ''))
  const currency = useSignal<string | undefined>(undefined)
  const [asked] = SPANS[span.value]
  const by = chart.by[0]!.value
  const { answer, error, again } = useAnswer(chart.path, {
    ...query,
    ...{ by, unit: asked, of: of.value },
    ...(split.value ? { split: split.value } : {}),
    ...daysOf(span.value, chart.is_ahead === true),
  })
  // Shows the previous data until the next arrives, which also keeps a table open.
  const last = useRef<Drawn | undefined>(undefined)
  if (answer) last.current = { ...(answer.data as Told), chosen: of.value, split: split.value }
  const told = last.current
  if (answer && isShort && !(answer.data as Told).lines.length) return <p class="quiet">{t('nothing')}</p>
  if (!told) return error ? <Trouble error={error} again={again} /> : <div class="charted-waits quiet">{t('loading')}</div>
  const { periods, lines, unit, chosen } = told
  const currencies = [...new Set(lines.flatMap((line) => line.currency ?? []))]
  const shown = currencies.includes(currency.value ?? '') ? currency.value! : (currencies[0] ?? null)
  const figure = chart.of.find(({ value }) => value === chosen)!
  const words = chart.splits.find(({ value }) => value === told.split)?.options ?? []
  const drawn = lines
    .filter((line) => line.currency === shown)
    .map(
      ({ value, values }): Line => ({
        name: value === null ? figure.label : (words.find((one) => one.value === value)?.label ?? value),
        values,
      }),
    )
  const say = (value: number) =>
    textFor({ name: figure.value, label: figure.label, kind: figure.kind }, value, shown ? { currency: shown } : {})
  const dayName = chart.by[0]!.label
  return (
    <Chart
      title={t('overTime', { title: `${title}: ${figure.label}, ${dayName}` })}
      unit={unit}
      periods={periods}
      lines={drawn.length ? drawn : [{ name: figure.label, values: periods.map(() => 0) }]}
      say={say}
      tools={
        !isShort && (
          <>
            {chart.of.length > 1 && (
              <Choice label={t('of')} value={of.value} options={chart.of} choose={(value) => (of.value = value)} />
            )}
            {currencies.length > 1 && (
              <Choice
                label={t('currency')}
                value={shown!}
                options={currencies.map((value) => ({ value, label: value }))}
                choose={(value) => (currency.value = value)}
              />
            )}
            {chart.splits.length > 0 && (
              <Choice
                label={t('split')}
                value={split.value}
                options={[{ value: '', label: t('none') }, ...chart.splits]}
                choose={(value) => (split.value = value)}
              />
            )}
            <Choice
              label={t('span')}
              value={span.value}
              options={Object.keys(SPANS).map((value) => ({ value, label: t(value as Span) }))}
              choose={(value) => (span.value = value as Span)}
            />
          </>
        )
      }
    />
  )
}

function Choice({
  label,
  value,
  options,
  choose,
}: {
  label: string
  value: string
  options: { value: string; label: string }[]
  choose: (value: string) => void
}): ComponentChildren {
  return (
    <select aria-label={label} title={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
      {options.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
    </select>
  )
}

const FOLDED = 'atrium.charts.folded'
const wide = matchMedia('(min-width: 768px)')
/** Returns whether charts above lists are collapsed: the last choice in this browser, or else collapsed on a phone. */
function isFolded() {
  try {
    const kept = localStorage.getItem(FOLDED)
    return kept === null ? !wide.matches : kept === 'yes'
  } catch {
    return !wide.matches
  }
}

export function ListChart({
  screen,
  chart,
  query,
}: {
  screen: { title: string }
  chart: SeriesChart
  query: Record<string, string>
}) {
  const isOpen = useSignal(!isFolded())
  const toggle = (open: boolean) => {
    if (isOpen.value === open) return
    isOpen.value = open
    try {
      localStorage.setItem(FOLDED, open ? 'no' : 'yes')
    } catch {
      // The choice then lasts until the page is left.
    }
  }
  return (
    <details class="charted" open={isOpen.value} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>{t('chart')}</summary>
      {isOpen.value && <SeriesOf title={named(screen.title)} chart={chart} query={query} />}
    </details>
  )
}
