/** Columns of export files, and the values of a row in them. */

/** `number` and `money` accept exact decimal strings or numbers, `date` YYYY-MM-DD, `instant` a UTC ISO string. */
export type Format = 'text' | 'number' | 'money' | 'date' | 'instant'

/** Column of an export file. */
export interface Column<R> {
  key: string
  title: string
  format: Format
  /** Default: the row's own `key`. */
  value?(row: R): string | number | null | undefined
}

/**
 * Returns a row's value as text; '' if it has none. Text that a spreadsheet could interpret as a formula gets a leading
 * apostrophe.
 */
export function cellText<R>(column: Column<R>, row: R): string {
  const value = column.value ? column.value(row) : (row as Record<string, unknown>)[column.key]
  const text = value === null || value === undefined ? '' : String(value)
  return column.format === 'text' ? guarded(text) : text
}

/**
 * Matches the beginning of cells that are interpreted as formulas, also after apostrophes: otherwise removing one could create a
 * formula.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** Escapes a text that a spreadsheet would interpret as a formula. */
export const guarded = (text: string) => (FORMULA.test(text) ? `'${text}` : text)

/** Reverses `guarded` for a cell of an imported file. */
export const unguarded = (text: string) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text)
