/** Home screen: pending work, figures and modules. */
import { boot } from '../boot.ts'
import { groups } from '../frame/navigation.tsx'
import { Icon, iconOf } from '../parts/icon.tsx'
import { CONTROL } from '../parts/key-names.ts'
import { lazyPart } from '../parts/lazy.tsx'
import { Levels } from '../parts/levels.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { named, translated } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { useAnswer } from './data.ts'
import {
  type Field,
  listAddress,
  may,
  type Option,
  type Row,
  recordAddress,
  type SeriesChart,
  type Summary,
  summaryOf,
} from './shape.ts'
import { counted, isNumeric, Value } from './values.tsx'

const SeriesOf = lazyPart(async () => (await import('./charted.tsx')).SeriesOf, <div class="charted-waits" aria-hidden="true" />)

const FirstSteps = lazyPart(async () => (await import('./first-steps.tsx')).FirstSteps, null)
const OperatorsFirstSteps = lazyPart(async () => (await import('./first-steps.tsx')).OperatorsFirstSteps, null)

/** Parts of the reply to `GET /console/home`. */
interface Card {
  key: string
  screen: string | null
  filters: Record<string, string>
  fields: Field[]
}
interface Chart {
  screen: string
  stats: string
  filter: string
  states: Option[]
}
interface OverTime {
  screen: string
  chart: SeriesChart
}
/** A list among the widgets of `GET /dashboard`. */
interface Widget {
  key: string
  title: string
  data: { total_count: number; rows: Row[] }
}

const KEY = `${CONTROL} K`
/** Number of columns of a card on narrow and wide screens. */
const [FEW, MANY] = [3, 4]
/** Maximum number of charts over time: each needs a request. */
const MAX_SERIES = 6

/** A workspace with only the core modules. */
const hasNoModule = boot.me?.workspace !== undefined && groups.every(({ title }) => title === null)

export const HomeScreen = () => (
  <ScreenFrame title={t('welcome', { name: boot.me!.user.name.split(' ')[0]! })}>
    <p class="quiet">{t('welcomeSays', { key: KEY })}</p>
    {hasNoModule && <NoModule />}
    {boot.me!.workspace ? <Dashboard /> : <OperatorsFirstSteps />}
    {groups.map(({ title, places }) => (
      <section class="group-of-tiles" key={title}>
        <h2>{title ?? t('administration')}</h2>
        <ul class="tiles">
          {places.map(({ main, more }) => (
            <li key={main.key}>
              <a href={main.to}>
                <Icon name={iconOf(main)} />
                {main.title}
              </a>
              {more.length > 0 && (
                <p>
                  {more.map(({ key, title, to }) => (
                    <a key={key} href={to}>
                      {title}
                    </a>
                  ))}
                </p>
              )}
            </li>
          ))}
        </ul>
      </section>
    ))}
  </ScreenFrame>
)

/** States who can help: the operator installs modules, a manager assigns roles. */
const NoModule = () => (
  <div class="empty">
    <h2>{t('noModule')}</h2>
    <p class="quiet">{t(may(['roles.update']) ? 'noModuleManager' : 'noModuleMember')}</p>
    {boot.platform?.support_email && (
      <a class="button" href={`mailto:${boot.platform.support_email}`}>
        {boot.platform.support_email}
      </a>
    )}
  </div>
)

function Dashboard() {
  const asked = useAnswer(boot.home ? undefined : '/console/home')
  const figures = useAnswer('/dashboard')
  const home = boot.home ?? asked.answer?.data
  const error = asked.error ?? figures.error
  const again = () => {
    asked.again()
    figures.again()
  }
  if (!home || !figures.answer) return error ? <Trouble error={error} again={again} /> : <p class="quiet">{t('loading')}</p>
  const { cards, series, charts } = translated(home) as { cards: Card[]; series: OverTime[]; charts: Chart[] }
  const widgets = new Map((figures.answer.data.widgets as Widget[]).map((widget) => [widget.key, widget]))
  const shown = cards.flatMap((card) => widgets.get(card.key) ?? [])
  const waiting = new Set(shown.filter(({ data }) => data.total_count > 0).map(({ key }) => key))
  const clear = shown.filter(({ key }) => !waiting.has(key))
  return (
    <>
      {!waiting.size && may(['settings.update']) && <FirstSteps />}
      {shown.length > 0 && (
        <section class="group-of-tiles" aria-labelledby="waiting">
          <h2 id="waiting">{t('waiting')}</h2>
          <div class="widgets">
            {cards.map((card) => waiting.has(card.key) && <Waiting key={card.key} card={card} widget={widgets.get(card.key)!} />)}
          </div>
          {clear.length > 0 && (
            <p class="quiet">{t('nothingWaits', { titles: clear.map(({ title }) => named(title)).join(' · ') })}</p>
          )}
        </section>
      )}
      {series.length > 0 && (
        <section class="group-of-tiles" aria-labelledby="over-time">
          <h2 id="over-time">{t('overTime')}</h2>
          <div class="widgets">
            {series.slice(0, MAX_SERIES).map(({ screen: key, chart }) => {
              const screen = summaryOf(key)
              return (
                screen && (
                  <section class="widget" key={key}>
                    <h3>
                      <a href={listAddress(screen)}>{screen.title}</a>
                      <span class="quiet">{chart.of[0]!.label}</span>
                    </h3>
                    <SeriesOf title={screen.title} chart={chart} isShort />
                  </section>
                )
              )
            })}
          </div>
        </section>
      )}
      {charts.length > 0 && (
        <section class="group-of-tiles" aria-labelledby="figures">
          <h2 id="figures">{t('figures')}</h2>
          <div class="widgets small">
            {charts.map((chart) => {
              const screen = summaryOf(chart.screen)
              return screen && <States key={chart.screen} chart={chart} screen={screen} />
            })}
          </div>
        </section>
      )}
    </>
  )
}

/** Returns the columns of a card: title, reference, date and amount, or other fields where one of these is missing. */
function columnsOf({ fields, filters }: Card, rows: Row[]): Field[] {
  const [first, ...others] = fields.filter(({ name }) => !['id', 'uuid', 'currency'].includes(name) && !(name in filters))
  const filled = ({ name, refers_to }: Field) => rows.filter((row) => row[refers_to?.embed ?? name] != null).length
  const references = others.filter(({ kind }) => kind === 'reference').toSorted((a, b) => filled(b) - filled(a))
  const date = others.find(({ kind }) => kind === 'date' || kind === 'instant')
  const chosen = [first, references[0], date, ...others.filter(isNumeric)].filter((one) => one !== undefined).slice(0, MANY)
  const shown = new Set([
    ...chosen,
    ...others.filter((field) => !chosen.includes(field)).slice(0, Math.max(0, FEW - chosen.length)),
  ])
  return fields.filter((field) => shown.has(field))
}

/** First rows of a list, with a link to all. */
function Waiting({ card, widget: { title, data } }: { card: Card; widget: Widget }) {
  const screen = summaryOf(card.screen)
  const all = screen && `${listAddress(screen)}?${new URLSearchParams(card.filters)}`
  const fields = columnsOf(card, data.rows)
  return (
    <section class="widget">
      <h3>
        {all ? <a href={all}>{named(title)}</a> : named(title)} <span class="count">{counted.format(data.total_count)}</span>
      </h3>
      <div class="table-wrap">
        <table>
          <thead class="unseen">
            <tr>
              {fields.map(({ name, label }) => (
                <th key={name} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row, n) => (
              <tr key={n}>
                {fields.map((field, m) => (
                  <td key={field.name} class={isNumeric(field) ? 'numbers' : undefined} data-kind={field.kind}>
                    {m === 0 ? <Linked field={field} row={row} screen={screen} /> : <Value field={field} row={row} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** A value that links to its record. */
function Linked({ field, row, screen }: { field: Field; row: Row; screen: Summary | undefined }) {
  const key = screen?.has_record ? row[screen.key_field] : undefined
  return key !== undefined && field.kind !== 'reference' ? (
    <a href={recordAddress(screen!, key)}>
      <Value field={field} row={row} />
    </a>
  ) : (
    <Value field={field} row={row} />
  )
}

/** Number of records by state. */
function States({ chart, screen }: { chart: Chart; screen: Summary }) {
  const { answer } = useAnswer(chart.stats)
  const counts = (answer?.data ?? {}) as Record<string, unknown>
  const states = chart.states.filter(({ value }) => typeof counts[value] === 'number')
  if (answer && !states.length) return null
  return (
    <section class="widget">
      <h3>
        <a href={listAddress(screen)}>{screen.title}</a>
      </h3>
      <Levels
        name={t('state')}
        value={t('howMany')}
        levels={states.map(({ value, label }) => ({
          ...{ key: value, label, value: counts[value] as number },
          to: `${listAddress(screen)}?${new URLSearchParams({ [chart.filter]: value })}`,
        }))}
      />
    </section>
  )
}
