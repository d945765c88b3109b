/** What a file may hold at most, so that reading it is bounded whatever it claims to be. */
import { invalid } from '#kernel/errors.ts'

export const MAX_BYTES = 50 * 1024 * 1024
export const MAX_COLUMNS = 100
export const MAX_ROWS = 100_000
/** Of all cells: an XLSX file says once what many cells hold. */
export const MAX_CHARACTERS = 50_000_000
export const MAX_CHARACTERS_OF_CELL = 10_000
export const MAX_CHARACTERS_OF_ROW = 200_000

/** A row of the file: its cells as text, and its number as a spreadsheet counts it, the header being row 1. */
export interface FileRow {
  n: number
  cells: string[]
}

export const unreadable = (message: string) => invalid({ file: message })
