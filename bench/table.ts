/** Prints figures as a table: the first column is text, the others are aligned as numbers. */

/** Aim of a figure, in words, and whether it was met. */
export interface Aim {
  says: string
  met: boolean
}

/** Returns the aim and whether it was met. */
export const verdict = (aim: Aim | undefined) => (aim ? `${aim.says}: ${aim.met ? 'ok' : 'falls short'}` : '')

export interface Table {
  head: string[]
  rows: string[][]
  /** Lines below the table. */
  notes?: string[]
  /** Raw data, for a file. */
  figures?: unknown
}

export function printTable(head: string[], rows: string[][]) {
  const widths = head.map((title, n) => Math.max(title.length, ...rows.map((row) => (row[n] ?? '').length)))
  const last = head.length - 1
  const line = (cells: string[]) =>
    cells
      .map((cell, n) => (n === 0 || n === last ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!)))
      .join('  ')
      .trimEnd()
  console.log([line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n'), '\n')
}

export const whole = (value: number | undefined) => (value === undefined ? '–' : Math.round(value).toLocaleString('en'))
export const percent = (share: number | undefined) => (share === undefined ? '–' : `${Math.round(share * 100)} %`)
export const milliseconds = (value: number | undefined) => (value === undefined ? '–' : `${value.toFixed(1)} ms`)
