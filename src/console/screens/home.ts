/** Home screen of a workspace: its dashboard's cards and the number of records by state. Derived from widgets and screens. */
import { z } from 'zod'
import type { Modules } from '#kernel/modules/module.ts'
import type { Widget } from '#kernel/records/widget.ts'
import { shownFields } from './fields.ts'
import { Chart, Field, type Screen } from './screen.ts'
import { allScreens, mayList, type Viewer } from './showing.ts'

const Card = z.object({
  key: z.string().meta({ description: 'The widget of `GET /dashboard`.', examples: ['unpaid_invoices'] }),
  screen: z
    .string()
    .nullable()
    .meta({ description: 'Whose list has them all; null: none.', examples: ['invoices'] }),
  filters: z
    .record(z.string(), z.string())
    .meta({ description: 'Under which filters that list shows them.', examples: [{ status: 'unpaid' }] }),
  fields: z.array(Field).describe('What its rows hold.'),
})

const Series = z.object({
  screen: z.string().meta({ description: 'Whose records are drawn over time.', examples: ['invoices'] }),
  chart: Chart.describe('How.'),
})

const States = z.object({
  screen: z.string().meta({ description: 'Whose records are counted.', examples: ['invoices'] }),
  stats: z.string().meta({ description: 'Where they are counted, by state.', examples: ['/invoices/stats'] }),
  filter: z.string().meta({ description: 'By which filter of the list those of a state are found.', examples: ['status'] }),
  states: z
    .array(z.object({ value: z.string(), label: z.string() }))
    .meta({ description: 'In their order.', examples: [[{ value: 'draft', label: 'Draft' }]] }),
})

export const Home = z
  .object({
    cards: z.array(Card).describe('For the widgets that are lists.'),
    series: z.array(Series).describe('For the lists that are drawn over time.'),
    charts: z.array(States).describe('For the lists whose records are counted by state.'),
  })
  .meta({ id: 'ConsoleHome' })
type Home = z.infer<typeof Home>

interface Offered {
  module: string
  allow: string
  resource: string | undefined
  card: Omit<Home['cards'][number], 'screen'>
}
const kept = new WeakMap<Modules, Promise<Offered[]>>()

/** Cards of all list widgets, derived once per process. */
const allCards = (declared: Modules) => kept.getOrInsertComputed(declared, () => cardsOf(declared))

async function cardsOf(declared: Modules): Promise<Offered[]> {
  const [screens, offered] = await Promise.all([allScreens(declared, 'workspace'), declared.widgets()])
  return offered.flatMap(({ module, widgets }) =>
    widgets.flatMap((widget) => {
      const card = cardOf(widget, screens)
      return card ? [{ module: module.key, allow: widget.allow, resource: widget.of?.resource, card }] : []
    }),
  )
}

/** Returns the cards and charts that the viewer may see. */
export async function homeOf(declared: Modules, viewer: Viewer): Promise<Home> {
  const [screens, offered] = await Promise.all([allScreens(declared, 'workspace'), allCards(declared)])
  const seen = screens.filter((screen) => mayList(viewer, screen))
  return {
    cards: offered
      .filter(({ module, allow }) => viewer.entitled(module) && viewer.can(allow))
      .map(({ card, resource }) => ({ ...card, screen: about(resource, seen)?.key ?? null })),
    series: seen.flatMap(({ key, chart }) => (chart ? [{ screen: key, chart }] : [])),
    charts: seen.flatMap((screen) => chartOf(screen) ?? []),
  }
}

/** Returns the screen of a record type. */
const about = (resource: string | undefined, screens: Screen[]) =>
  resource === undefined ? undefined : screens.find((one) => one.resource === resource)

function cardOf({ key, of }: Widget, screens: Screen[]): Offered['card'] | undefined {
  if (!of) return undefined
  const fields = shownFields(
    of.row,
    (resource) => about(resource, screens)?.key ?? null,
    (resource) => about(resource, screens)?.title_field ?? undefined,
  )
  return { key, filters: of.filters, fields }
}

function chartOf({ key, stats, lifecycle, list }: Screen): Home['charts'][number] | undefined {
  const filter = lifecycle?.field
  const options = list.filters.find(({ name }) => name === filter)?.options
  if (!stats || !filter || !options) return undefined
  return { screen: key, stats, filter, states: options.map(({ value, label }) => ({ value: String(value), label })) }
}
