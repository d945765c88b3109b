/**
 * Adjustments of a module's console screens, which are otherwise derived from its routes. Only data: the kernel and the modules
 * don't depend on the console. Unknown fields, filters and layouts cause an error when the screens are derived.
 */
declare module './module.ts' {
  interface Manifest {
    /** Adjusts the screens derived from its routes, and adds pages. */
    screen?: () => Promise<{ default: Screens }>
  }
}

/** Layout of a list of records. A screen has the layouts that its routes allow. */
export type Layout = 'list' | 'board' | 'calendar'

/** Parts of a screen that a custom component can replace. */
export type Place = Layout | 'record' | 'new' | 'edit'

/** Adjustments of one screen. Missing ones are derived. A saved view, or a user's own choice, takes precedence. */
export interface ScreenChoice {
  /** Title of the list, if the one from its path isn't clear: two lists of modules. */
  title?: string
  /** Name of an icon of the console, from `paths` in src/console/client/parts/icon.tsx. */
  icon?: string
  /** Default columns of the list, in this order. */
  columns?: readonly string[]
  /** Fields of the list on a card of the board, after its title, in this order. */
  card?: readonly string[]
  /**
   * Groups of fields in forms and records. Fields in no group come after them; groups with `folded` come last, initially
   * collapsed.
   */
  groups?: readonly { title: string; fields: readonly string[]; folded?: true }[]
  /** Available layouts; links lead to the first one. */
  layouts?: readonly Layout[]
  /** Default order of rows: a value of the list's `sort`. */
  order?: { by: string; direction: 'asc' | 'desc' }
  /**
   * Chart of the records over time, above the list and on the start page, if the list has `GET …/series`: by which date, of which
   * figure, in which periods, and split by which field. Missing options are the series' defaults. `isAhead`: the dates are in the
   * future, such as due dates. `false`: no chart.
   */
  chart?: false | { by?: string; of?: string; unit?: 'day' | 'week' | 'month'; split?: string; isAhead?: true }
  /**
   * Values that a new record takes from the record for which it is created. `from` is the field that references that record (for
   * lines: `allocations.invoice_id`); `fields` maps each field of the form to the field of that record.
   */
  begins?: { from: string; fields: Readonly<Record<string, string>> }
  /**
   * Its records are created elsewhere than in a form, such as imports, which are created from a file on the list that they fill.
   * The forms for creating and changing them aren't offered, nor are the actions that are steps of that process. `says` is a
   * sentence for users about where they are created; `importOf` is the key of the list whose import creates them; `steps` are the
   * last path segments of those actions.
   */
  begun?: { says: string; importOf?: string; steps: readonly string[] }
  /**
   * Parts with custom components: for each the file in the module's folder `screen` (`editor` for `screen/editor.tsx`), which
   * exports the component as default. It gets the same properties as the derived one: `screen`, and for a record its `id`.
   */
  drawn?: Partial<Record<Place, string>>
}

/** Page of the console in addition to a module's lists, such as an inbox or a workday of attendance. */
export interface Page {
  title: string
  /** As for a screen. */
  icon?: string
  /** The module's main entry is a list of its own: the page is listed below it instead of replacing it. */
  beside?: true
  /** Permissions, of which any one gives access. None: all signed-in users. */
  allow?: readonly string[]
  /** File in the module's folder `screen`, as for `drawn`. */
  drawn: string
  /**
   * API requests whose replies are sent with the page. Called with the query of its address and the replies so far (`data`);
   * returns the path and query of the next request, built as the page does; undefined if there are no more.
   */
  first?: (address: URLSearchParams, answers: readonly any[]) => string | undefined
}

/** By the key of the screen: the path of its list without the first slash, with other slashes as hyphens. */
type ScreenChoices = Record<string, ScreenChoice>
/** By the path segment of their addresses, which must not be a screen's key. */
type Pages = Record<string, Page>

/** Screen adjustments and pages of a module. */
export interface Screens {
  choices: ScreenChoices
  pages: Pages
}

export const defineScreens = (choices: ScreenChoices, pages: Pages = {}): Screens => ({ choices, pages })
