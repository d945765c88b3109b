/** The first screen: what waits, how much of everything there is, and the modules. */
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

/** What `GET /console/home` tells. */
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
/** How many columns a card shows where there are so many, and has room for. */
const [FEW, MANY] = [3, 4]
/** How many lists are drawn over time: each is asked for. */
const MAX_SERIES = 6

/** A workspace in which nothing is installed but what each has. */
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

/** Says who can do something about that: modules are installed by the operator, roles are given by a manager. */
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

/** What a row is called, whom it is about, until when, and how much; what else there is where one of these isn't. */
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

/** A few rows of a list, and the way to all of them. */
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

/** What leads to the record itself. */
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

/** How many records stand in which state. */
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
