/** What the files of an export are made of: columns, and the values of a row in them. */

/** `number` and `money` take exact decimal strings or numbers, `date` YYYY-MM-DD, `instant` a UTC ISO string. */
export type Format = 'text' | 'number' | 'money' | 'date' | 'instant'

export interface Column<R> {
  key: string
  title: string
  format: Format
  /** Default: the row's own `key`. */
  value?(row: R): string | number | null | undefined
}

/** A row's value as text; '' for none. Text that a spreadsheet could take for a formula begins with an apostrophe. */
export function cellText<R>(column: Column<R>, row: R): string {
  const value = column.value ? column.value(row) : (row as Record<string, unknown>)[column.key]
  const text = value === null || value === undefined ? '' : String(value)
  return column.format === 'text' ? guarded(text) : text
}

/** Cells that begin so, behind apostrophes or without them, are taken for formulas, or would be once such an apostrophe is gone. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A text as a cell that no spreadsheet takes for a formula. */
export const guarded = (text: string) => (FORMULA.test(text) ? `'${text}` : text)

/** The text of a cell that comes back in a file, as it was before it went out in one. */
export const unguarded = (text: string) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text)
