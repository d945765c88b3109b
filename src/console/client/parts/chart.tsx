/**
 * Chart of values over time: stacked bars or lines. Accessible: arrow keys move through the values, which are announced, and a
 * table is available. Built of HTML and SVG, so that it follows the design tokens, text direction and print styles.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { counted, locale } from '../screens/values.tsx'
import { textsOf } from '../texts/texts.ts'

const t = textsOf({
  en: {
    table: 'Table',
    period: 'Period',
    total: 'Total',
    others: 'Others',
    walk: 'chart, arrow keys walk its values',
    chart: 'chart',
  },
  de: {
    table: 'Tabelle',
    period: 'Zeitraum',
    total: 'Summe',
    others: 'Andere',
    walk: 'Diagramm, Pfeiltasten gehen durch die Werte',
    chart: 'Diagramm',
  },
})

export type Unit = 'day' | 'week' | 'month'

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
const whole = {
  day: format({ dateStyle: 'medium' }),
  week: format({ dateStyle: 'medium' }),
  month: format({ year: 'numeric', month: 'long' }),
}
const short = {
  day: format({ day: 'numeric', month: 'short' }),
  week: format({ day: 'numeric', month: 'short' }),
  month: format({ month: 'short' }),
}
const yearly = format({ month: 'short', year: '2-digit' })
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

const atUtc = (day: string) => new Date(`${day}T00:00:00Z`)
/** Returns the name of a period by its first day. */
const periodName = (day: string, unit: Unit) => whole[unit].format(atUtc(day))

export interface Line {
  name: string
  values: number[]
}

interface Props {
  /** Accessible name. */
  title: string
  unit: Unit
  /** First day of each period. */
  periods: string[]
  /** Several lines are stacked. */
  lines: Line[]
  kind?: 'bars' | 'lines'
  say?: (value: number) => string
  /** Shown next to the table button. */
  tools?: ComponentChildren
}

/** Number of colours; smaller lines are summed in one more. */
const MAX_COLOURS = 5
/** Maximum number of labelled periods, on narrow and wide screens. */
const [MAX_NAMES_NARROW, MAX_NAMES_WIDE] = [4, 6]
const phone = matchMedia('(max-width: 767px)')

function foldedTogether(lines: Line[]): Line[] {
  if (lines.length <= MAX_COLOURS + 1) return lines
  const [first, rest] = [lines.slice(0, MAX_COLOURS), lines.slice(MAX_COLOURS)]
  return [
    ...first,
    { name: t('others'), values: first[0]!.values.map((_, n) => rest.reduce((sum, line) => sum + line.values[n]!, 0)) },
  ]
}

/** Returns the smallest round number that isn't below `most`, for the end of the axis. */
function roundAbove(most: number): number {
  if (most <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((one) => one * power >= most)! * power
  return most <= 4 && Number.isInteger(most) ? Math.max(2, most + (most % 2)) : step
}

export function Chart({ title, unit, periods, lines: given, kind = 'bars', say = counted.format, tools }: Props) {
  const isTable = useSignal(false)
  const at = useSignal<number | undefined>(undefined)
  const id = useId()
  const lines = foldedTogether(given)
  const sums = periods.map((_, n) => lines.reduce((sum, { values }) => sum + values[n]!, 0))
  const most = roundAbove(Math.max(0, ...(kind === 'bars' ? sums : lines.flatMap(({ values }) => values))))
  const isStacked = lines.length > 1
  const now = at.value === undefined ? undefined : Math.min(at.value, periods.length - 1)
  const saidOf = (n: number) => {
    const parts = isStacked ? lines.flatMap(({ name, values }) => (values[n] ? `${name} ${say(values[n]!)}` : [])) : []
    return `${periodName(periods[n]!, unit)}: ${say(sums[n]!)}${parts.length ? ` (${parts.join(', ')})` : ''}`
  }
  const walk = (event: KeyboardEvent) => {
    const isMirrored = getComputedStyle(event.currentTarget as Element).direction === 'rtl'
    const last = periods.length - 1
    const from = now ?? last + 1
    const onward = isMirrored ? -1 : 1
    const moves: Record<string, number> = {
      ArrowRight: from + onward,
      ArrowLeft: from - onward,
      ArrowUp: from + 1,
      ArrowDown: from - 1,
      Home: 0,
      End: last,
    }
    const to = moves[event.key]
    if (to === undefined) return
    event.preventDefault()
    at.value = Math.max(0, Math.min(last, to))
  }
  const every = Math.ceil(periods.length / (phone.matches ? MAX_NAMES_NARROW : MAX_NAMES_WIDE))
  const isLong = unit === 'month' && periods.length > 12
  const total = sums.reduce((sum, value) => sum + value, 0)
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption>
        <span class="unseen" id={id}>
          {title}
        </span>
        <span class="reading" aria-hidden="true">
          {now === undefined ? `${t('total')}: ${say(total)}` : saidOf(now)}
        </span>
        <span class="tools">
          {tools}
          <button type="button" class="plain" aria-pressed={isTable.value} onClick={() => (isTable.value = !isTable.value)}>
            {t('table')}
          </button>
        </span>
      </figcaption>
      {isStacked && !isTable.value && <Legend lines={lines} />}
      {isTable.value ? (
        <Values title={title} unit={unit} periods={periods} lines={given} say={say} sums={sums} />
      ) : (
        <div
          class="plot"
          role="slider"
          aria-roledescription={t('chart')}
          aria-label={`${title}, ${t('walk')}`}
          aria-orientation="horizontal"
          aria-readonly="true"
          aria-valuemin={0}
          aria-valuemax={periods.length - 1}
          aria-valuenow={now ?? periods.length - 1}
          aria-valuetext={now === undefined ? `${t('total')}: ${say(total)}` : saidOf(now)}
          tabIndex={0}
          onKeyDown={walk}
          onBlur={() => (at.value = undefined)}
          onPointerLeave={() => (at.value = undefined)}
        >
          <div class="levels-at" aria-hidden="true">
            {[most, most / 2, 0].map((level) => (
              <span key={level}>{compact.format(level)}</span>
            ))}
          </div>
          <div class="columns">
            {kind === 'lines' && <Drawn lines={lines} most={most} />}
            {periods.map((day, n) => (
              <div
                key={day}
                class={n === now ? 'column now' : 'column'}
                onPointerEnter={() => (at.value = n)}
                onPointerDown={() => (at.value = n)}
              >
                {kind === 'bars' &&
                  lines.map(
                    ({ name, values }, line) =>
                      values[n]! > 0 && (
                        <span key={name} class={`mark colour-${line}`} style={{ blockSize: `${(100 * values[n]!) / most}%` }} />
                      ),
                  )}
                {(periods.length - 1 - n) % every === 0 && (
                  <span class="named-at">{(isLong ? yearly : short[unit]).format(atUtc(day))}</span>
                )}
              </div>
            ))}
          </div>
        </div>
      )}
    </figure>
  )
}

const Legend = ({ lines }: { lines: Line[] }) => (
  <ul class="legend">
    {lines.map(({ name }, n) => (
      <li key={name}>
        <span class={`swatch colour-${n}`} aria-hidden="true" />
        {name}
      </li>
    ))}
  </ul>
)

/** Lines between the middles of the columns. */
const Drawn = ({ lines, most }: { lines: Line[]; most: number }) => (
  <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
    {lines.map(({ name, values }, line) => {
      const points = values.map((value, n) => `${(100 * (n + 0.5)) / values.length},${100 - (100 * Math.max(0, value)) / most}`)
      return <polyline key={name} class={`colour-${line}`} points={points.join(' ')} />
    })}
  </svg>
)

function Values({
  title,
  unit,
  periods,
  lines,
  say,
  sums,
}: Required<Pick<Props, 'title' | 'unit' | 'periods' | 'lines' | 'say'>> & { sums: number[] }) {
  const isStacked = lines.length > 1
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
    <div class="table-wrap" role="region" aria-label={title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('period')}</th>
            {isStacked &&
              lines.map(({ name }) => (
                <th key={name} scope="col" class="numbers">
                  {name}
                </th>
              ))}
            <th scope="col" class="numbers">
              {isStacked ? t('total') : (lines[0]?.name ?? t('total'))}
            </th>
          </tr>
        </thead>
        <tbody>
          {periods.map((day, n) => (
            <tr key={day}>
              <th scope="row">{periodName(day, unit)}</th>
              {isStacked &&
                lines.map(({ name, values }) => (
                  <td key={name} class="numbers">
                    {say(values[n]!)}
                  </td>
                ))}
              <td class="numbers">{say(sums[n]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
