/**
 * What a module says of its screens in the console beyond what follows from its routes. Data alone: the kernel and the modules know of no
 * console. A screen that names a field, a filter or a layout that there isn't is refused when the screens are derived.
 */
declare module './module.ts' {
  interface Manifest {
    /** Adjusts the screens that are derived from its routes, and adds pages of its own. */
    screen?: () => Promise<{ default: Screens }>
  }
}

/** How records are laid out. A screen has those that its routes allow. */
export type Layout = 'list' | 'board' | 'calendar'

/** What of a screen can be drawn by hand in place of what is derived. */
export type Place = Layout | 'record' | 'new' | 'edit'

/** What is said of one screen. Whatever is left out stays as it is derived; a saved view, or what somebody chose for themselves, counts more. */
export interface ScreenChoice {
  /** What people call the list, where its path says too little: two lists of modules. */
  title?: string
  /** Name of a picture of the console, `paths` of src/console/client/parts/icon.tsx. */
  icon?: string
  /** Columns of the list until somebody chooses others, in this order. */
  columns?: readonly string[]
  /** What a card of the board says beside its title, in this order: fields of the list. */
  card?: readonly string[]
  /** How fields stand together in forms and records. What no group names stands behind them; behind that what is `folded`, closed until somebody opens it. */
  groups?: readonly { title: string; fields: readonly string[]; folded?: true }[]
  /** The layouts that are offered; the first is what links lead to. */
  layouts?: readonly Layout[]
  /** By what rows stand where nobody sorts them: a word of the list's `sort`. */
  order?: { by: string; direction: 'asc' | 'desc' }
  /**
   * How the records are drawn over time, above the list and on the first screen, where the list answers `GET …/series`: by which of their days, of
   * what, in which periods, and told apart by which words. What isn't said is as the series has it. `isAhead`: the days lie ahead, as when
   * something is due. `false`: they aren't drawn.
   */
  chart?: false | { by?: string; of?: string; unit?: 'day' | 'week' | 'month'; split?: string; isAhead?: true }
  /**
   * What a new record takes from one that it is made for. `from` is the field that names that one (of lines: `allocations.invoice_id`), `fields`
   * says for each field of the form which of that record's it begins with.
   */
  begins?: { from: string; fields: Readonly<Record<string, string>> }
  /**
   * Its records come from a place other than a form, as imports come from a file beside the list that it is for: the form, the one that changes them, and the
   * actions that are steps of that place aren't offered. `says` where they begin, in a sentence for people; `importOf` is the key of the one list whose import
   * makes them; `steps` are the last words of those actions' paths.
   */
  begun?: { says: string; importOf?: string; steps: readonly string[] }
  /**
   * Places that the module draws itself: for each the file of its folder `screen` (`editor` for `screen/editor.tsx`), whose default export is the
   * component. It is given what the derived one would be: `screen`, and for a record its `id`.
   */
  drawn?: Partial<Record<Place, string>>
}

/** A place of the console beside the lists of a module: an inbox, the day of an attendance. */
export interface Page {
  title: string
  /** As that of a screen. */
  icon?: string
  /** The module is known by a list of its own: the page stands below that, and not in its place. */
  beside?: true
  /** Permissions of which any one leads there. None: whoever is signed in. */
  allow?: readonly string[]
  /** The file of the module's folder `screen`, as of `drawn`. */
  drawn: string
  /**
   * What it asks the API first, so that the answers come with it: given the query of its address and what the questions before it were answered (`data`),
   * the path of the next one with its query, put together as the page does; undefined: nothing more.
   */
  first?: (address: URLSearchParams, answers: readonly any[]) => string | undefined
}

/** By the key of the screen: the path of its list without the first slash, the others as hyphens. */
type ScreenChoices = Record<string, ScreenChoice>
/** By the word of their addresses, which no screen may have as its key. */
type Pages = Record<string, Page>

export interface Screens {
  choices: ScreenChoices
  pages: Pages
}

export const defineScreens = (choices: ScreenChoices, pages: Pages = {}): Screens => ({ choices, pages })
