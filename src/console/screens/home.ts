/** What a workspace's people see first: the cards of its dashboard, and how many records stand in which state. Derived from widgets and screens. */
import { z } from 'zod'
import type { Modules } from '#kernel/modules/module.ts'
import type { Widget } from '#kernel/records/widget.ts'
import { shownFields } from './fields.ts'
import { Field, type Screen } from './screen.ts'
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

const Chart = z.object({
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
    charts: z.array(Chart).describe('For the lists whose records are counted by state.'),
  })
  .meta({ id: 'ConsoleHome' })
type Home = z.infer<typeof Home>

/** The cards and charts that the viewer may see. */
export async function homeOf(declared: Modules, viewer: Viewer): Promise<Home> {
  const [screens, offered] = await Promise.all([allScreens(declared, 'workspace'), declared.widgets()])
  const seen = screens.filter((screen) => mayList(viewer, screen))
  const cards = offered.flatMap(({ module, widgets }) =>
    viewer.entitled(module.key)
      ? widgets.filter(({ allow }) => viewer.can(allow)).flatMap((widget) => cardOf(widget, seen, screens) ?? [])
      : [],
  )
  return { cards, charts: seen.flatMap((screen) => chartOf(screen) ?? []) }
}

function cardOf({ key, of }: Widget, seen: Screen[], screens: Screen[]): Home['cards'][number] | undefined {
  if (!of) return undefined
  const about = (resource: string | undefined, some: Screen[]) =>
    resource === undefined ? undefined : some.find((one) => one.resource === resource)
  const fields = shownFields(
    of.row,
    (resource) => about(resource, screens)?.key ?? null,
    (resource) => about(resource, screens)?.title_field ?? undefined,
  )
  return { key, screen: about(of.resource, seen)?.key ?? null, filters: of.filters, fields }
}

function chartOf({ key, stats, lifecycle, list }: Screen): Home['charts'][number] | undefined {
  const filter = lifecycle?.field
  const options = list.filters.find(({ name }) => name === filter)?.options
  if (!stats || !filter || !options) return undefined
  return { screen: key, stats, filter, states: options.map(({ value, label }) => ({ value: String(value), label })) }
}
