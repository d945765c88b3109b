/** Applies a module's screen.ts to the derived screen. */
import type { ScreenChoice } from '#kernel/modules/screens.ts'
import type { Field, Screen } from './screen.ts'

/** Returns the last segment of a path. */
export const lastOf = (path: string) => path.split('/').at(-1)!

/**
 * Applies a module's choices to a screen. Throws on a name that the screen lacks: a renamed field would disappear unnoticed
 * otherwise.
 */
export function adjust(screen: Screen, choice: ScreenChoice) {
  const { title, icon, columns, card, groups, layouts, order, chart, begins, begun, drawn } = choice
  const { list, record, create, edit } = screen
  const known = (what: string, names: readonly string[], all: readonly string[]) => {
    const unknown = names.find((name) => !all.includes(name))
    if (unknown !== undefined) throw new Error(`The screen ${screen.key} has no ${what} ${unknown}.`)
  }
  if (title) screen.title = title
  if (icon) screen.icon = icon
  if (columns) {
    known('column', columns, list.columns.map(nameOf))
    list.columns = inOrder(list.columns, columns).map(({ is_hidden: _, ...field }) =>
      columns.includes(field.name) ? field : { ...field, is_hidden: true as const },
    )
  }
  if (card) {
    known('column', card, list.columns.map(nameOf))
    if (!screen.board) throw new Error(`The screen ${screen.key} has no board.`)
    screen.board.card = [...card]
  }
  if (groups) {
    const all = [create, edit, record].flatMap((form) => form?.fields ?? []).map(nameOf)
    for (const { fields } of groups) known('field', fields, all)
    screen.groups = groups.map(({ title, fields, folded }) => ({
      title,
      fields: [...fields],
      ...(folded ? { is_folded: true } : {}),
    }))
  }
  if (layouts) {
    known('layout', layouts, screen.layouts)
    screen.layouts = [...layouts]
  }
  if (chart === false) screen.chart = null
  else if (chart) {
    const made = screen.chart
    if (!made) throw new Error(`The screen ${screen.key} has no series to chart.`)
    const { by, of, split, unit, isAhead } = chart
    const first = <One extends { value: unknown }>(what: string, all: One[], value: string | undefined) => {
      if (value !== undefined) known(what, [value], all.map(wordOf))
      return all.toSorted((a, b) => Number(b.value === value) - Number(a.value === value))
    }
    screen.chart = {
      ...made,
      by: first('day of a series', made.by, by),
      of: first('sum of a series', made.of, of),
      splits: first('split of a series', made.splits, split),
      split: split ?? null,
      unit: unit ?? made.unit,
      ...(isAhead ? { is_ahead: true } : {}),
    }
  }
  if (begins) {
    const all = (create?.fields ?? []).flatMap(({ name, fields = [] }) => [name, ...fields.map((one) => `${name}.${one.name}`)])
    known('field', [begins.from, ...Object.keys(begins.fields)], all)
    screen.begins = { from: begins.from, fields: { ...begins.fields } }
  }
  if (begun) {
    const { says, importOf = null, steps } = begun
    const stepOf = ({ path }: { path: string }) => lastOf(path)
    known('action', steps, screen.actions.map(stepOf))
    screen.begun = { says, import_of: importOf, allow: create?.allow ?? [] }
    screen.create = screen.edit = null
    screen.actions = screen.actions.filter((action) => !steps.includes(stepOf(action)))
  }
  if (drawn) {
    const places = [...screen.layouts, ...(record ? ['record'] : []), ...(create ? ['new'] : []), ...(edit ? ['edit'] : [])]
    known('place', Object.keys(drawn), places)
    screen.drawn = { ...drawn }
  }
  if (order) {
    known('sort', [order.by], list.sorts)
    list.order = order
  }
}

const wordOf = ({ value }: { value: unknown }) => String(value)
const nameOf = ({ name }: Field) => name

/** Puts the named fields first, in that order. */
function inOrder(fields: Field[], names: readonly string[]): Field[] {
  const placeOf = ({ name }: Field) => (names.includes(name) ? names.indexOf(name) : names.length)
  return fields.toSorted((a, b) => placeOf(a) - placeOf(b))
}
