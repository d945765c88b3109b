/** Notations of numbers and dates in texts, and detection of a file's notation. */
import { z } from 'zod'
import { invalid } from '../errors.ts'

export const DECIMAL_SIGNS = ['.', ','] as const
export const GROUP_SIGNS = ['.', ',', ' ', "'"] as const
export const DAY_ORDERS = ['dmy', 'mdy', 'ymd'] as const

/** Notation of numbers and dates in a file's texts. Cells that a spreadsheet stores as numbers or dates don't depend on it. */
export interface Notation {
  decimal_sign: (typeof DECIMAL_SIGNS)[number]
  /** Null: digits aren't grouped. */
  group_sign: (typeof GROUP_SIGNS)[number] | null
  /**
   * Order in dates with slashes or dashes; null: such dates are errors, because their order is unknown. Dates with points always
   * begin with the day.
   */
  day_order: (typeof DAY_ORDERS)[number] | null
}

/** Notation of cells that are stored as numbers. */
export const PLAIN: Notation = { decimal_sign: '.', group_sign: null, day_order: null }

/** Fields of a request or reply with a notation. */
export const notationFields = {
  decimal_sign: z
    .enum(DECIMAL_SIGNS, 'Must be . or ,.')
    .describe('Sign between the whole part and the decimals of numbers in texts.'),
  group_sign: z
    .enum(GROUP_SIGNS, "Must be one of . , ' or a space.")
    .nullable()
    .describe('Sign between the thousands of numbers in texts; null: there is none.'),
  day_order: z
    .enum(DAY_ORDERS, 'Must be one of dmy, mdy, ymd.')
    .nullable()
    .describe(
      'Order of day, month and year in texts such as 03/12/2026; null: they are errors of their rows. With points, a text begins with the day; one that begins with a year is read so.',
    ),
}

/** Throws 422 on `group_sign` if it equals the decimal sign. */
export function assertDistinctSigns({ decimal_sign, group_sign }: Notation) {
  if (decimal_sign === group_sign) throw invalid({ group_sign: 'Must differ from decimal_sign.' })
}

/** Patterns of group signs, with the variants that spreadsheets and phones use. */
const GROUPS: Record<string, string> = { '.': '\\.', ',': ',', ' ': '[ \\u00a0\\u2009\\u202f]', "'": "['’]" }

const grouping = Object.entries(GROUPS).map(([sign, pattern]) => [sign, new RegExp(`\\d${pattern}\\d{3}`)] as const)

const numberPatterns = new Map<string, RegExp>()

function numberPattern({ decimal_sign, group_sign }: Notation): RegExp {
  const key = decimal_sign + (group_sign ?? '')
  const decimal = decimal_sign === ',' ? ',' : '\\.'
  const grouped = group_sign && group_sign !== decimal_sign ? `[1-9]\\d{0,2}(?:${GROUPS[group_sign]}\\d{3}){1,13}|` : ''
  return numberPatterns.getOrInsertComputed(
    key,
    () => new RegExp(`^([+-]?)(${grouped}\\d{1,40})(?:${decimal}(\\d{1,40}))?(e[+-]?\\d{1,3})?$`, 'i'),
  )
}

/** Converts a number from the notation to one with a decimal point and without groups; undefined for other texts. */
export function plainNumber(text: string, notation: Notation): string | undefined {
  const [found, sign, whole, decimals, exponent = ''] = numberPattern(notation).exec(text) ?? []
  if (found === undefined) return undefined
  return `${sign}${whole!.replace(/\D/g, '')}${decimals === undefined ? '' : `.${decimals}`}${exponent}`
}

/** Three numbers with a sign between them, at the beginning of a text. */
const DAY = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?=$|[ T])/

/** Converts dates such as `3.12.2026` to YYYY-MM-DD, with or without a time after them. Returns other texts unchanged. */
export function isoDay(text: string, order: Notation['day_order'] = null): string {
  const [found, a, sign, b, c] = DAY.exec(text) ?? []
  if (found === undefined) return text
  const written = a!.length === 4 ? 'ymd' : sign === '.' ? 'dmy' : order
  if (!written) return text
  const [year, month, day] = written === 'ymd' || a!.length === 4 ? [a!, b!, c!] : written === 'mdy' ? [c!, a!, b!] : [c!, b!, a!]
  if (year.length !== 4 || month.length > 2 || day.length > 2) return text
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${text.slice(found.length)}`
}

/** Maximum number of rows, and of characters per cell, that are examined. */
const MAX_ROWS = 1000
const MAX_CELL = 40
/** One of this many cells may be another text, such as n/a, in a column of numbers or dates. */
const MAX_TEXTS = 4

/** A number with an optional currency or percent sign. */
const AMOUNT = /^(?:[€$£¥]|[A-Z]{3})?\s?([+-]?\d[\d.,'’ \u00a0\u2009\u202f]*?)\s?(?:%|[€$£¥]|[A-Z]{3})?$/

/** Matches numbers that are possible only with this decimal sign: by their decimals, or by several groups of digits. */
const certain = (decimal: string, group: string) =>
  new RegExp(
    `^[+-]?(?:[1-9]\\d{0,2}(?:${group}\\d{3})+${decimal}\\d+|[1-9]\\d{0,2}(?:${group}\\d{3}){2,}|\\d+${decimal}(?:\\d{1,2}|\\d{4,})|0${decimal}\\d+)$`,
  )
const COMMA = certain(',', "[. '’\\u00a0\\u2009\\u202f]")
const POINT = certain('\\.', "[, '’\\u00a0\\u2009\\u202f]")

/** Returns a number's decimal sign; undefined if both are possible. */
function decimalSignOf(number: string): 'comma' | 'point' | undefined {
  const [comma, point] = [COMMA.test(number), POINT.test(number)]
  return comma === point ? undefined : comma ? 'comma' : 'point'
}

interface ColumnEvidence {
  comma: number
  point: number
  /** Numbers that are one in either notation: 1.234. */
  undecided: number
  groups: Set<string>
  dayFirst: number
  monthFirst: number
  cells: number
  /** Cells that are neither a number nor a date. */
  texts: number
}

/**
 * Collects evidence of a file's notation from its rows. Columns with other texts, or with contradictory notations, are ignored.
 */
export class NotationEvidence {
  readonly #columns: ColumnEvidence[] = []
  #rows = 0

  observe({ cells, numeric }: { cells: string[]; numeric?: number[] }) {
    if (++this.#rows > MAX_ROWS) return
    for (const [n, cell] of cells.entries()) {
      const text = cell.trim()
      if (text === '' || numeric?.includes(n)) continue
      const column = (this.#columns[n] ??= {
        comma: 0,
        point: 0,
        undecided: 0,
        groups: new Set(),
        dayFirst: 0,
        monthFirst: 0,
        cells: 0,
        texts: 0,
      })
      column.cells++
      note(column, text)
    }
  }

  /** `usual` is the decimal sign to assume where the numbers don't decide. */
  proposal(usual: Notation['decimal_sign'] = '.'): Notation {
    const sound = this.#columns.filter((one) => one && one.texts <= one.cells / MAX_TEXTS)
    const numbers = sound.filter(({ comma, point }) => comma > 0 !== point > 0)
    const isUndecided = numbers.length === 0 && sound.some(({ undecided }) => undecided > 0)
    const isComma = numbers.length > 0 ? numbers.every(({ comma }) => comma > 0) : isUndecided && usual === ','
    const isPoint = numbers.length > 0 && numbers.every(({ point }) => point > 0)
    const groups = isComma || isPoint ? numbers.flatMap((one) => [...one.groups]) : []
    const group = GROUP_SIGNS.find((sign) => sign !== (isComma ? ',' : '.') && groups.includes(sign)) ?? null
    const days = sound.filter(({ dayFirst, monthFirst }) => dayFirst > 0 !== monthFirst > 0)
    const [isDayFirst, isMonthFirst] = [days.some(({ dayFirst }) => dayFirst), days.some(({ monthFirst }) => monthFirst)]
    return {
      decimal_sign: isComma ? ',' : '.',
      group_sign: isComma ? (group ?? '.') : group,
      day_order: isDayFirst === isMonthFirst ? null : isDayFirst ? 'dmy' : 'mdy',
    }
  }
}

function note(column: ColumnEvidence, text: string) {
  if (text.length > MAX_CELL) {
    column.texts++
    return
  }
  const [, a, sign, b, c] = DAY.exec(text) ?? []
  if (a && a.length <= 2 && c!.length === 4) {
    if (sign === '.') return
    if (Number(a) > 12) column.dayFirst++
    if (Number(b) > 12) column.monthFirst++
    return
  }
  const number = AMOUNT.exec(text)?.[1]
  if (number === undefined) {
    if (!a) column.texts++
    return
  }
  const decimalSign = decimalSignOf(number)
  if (!decimalSign) {
    if (/[.,]/.test(number)) column.undecided++
    return
  }
  column[decimalSign]++
  const decimal = decimalSign === 'comma' ? ',' : '.'
  for (const [group, pattern] of grouping) if (group !== decimal && pattern.test(number)) column.groups.add(group)
}

/** Returns the decimal sign of a locale. */
export const decimalSignIn = (locale: string): Notation['decimal_sign'] =>
  new Intl.NumberFormat(locale).formatToParts(1.5).some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.'
