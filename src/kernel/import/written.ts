/**
 * Numbers and days as people and spreadsheets write them, in the forms that the API takes. What can be read in two ways (`1,234`, `03/12/2026`), and what
 * is neither, stays as it is, for the schema to judge.
 */

/** Points or commas, blanks or apostrophes between groups of three digits. */
const GROUPED = /^([+-]?)(\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\3\d{3}){0,12})(?:([.,])(\d{1,20}))?$/
/** A group, or a fraction of three digits. */
const AMBIGUOUS = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/
const DECIMAL_COMMA = /^([+-]?\d{1,20}),(\d{1,20})$/

/** `1.249,50`, `1,249.50`, `1 249,50`, `1249,5`, `0,125` and `1.500.000` with a decimal point and no groups. */
export function numberWritten(text: string): string {
  if (AMBIGUOUS.test(text)) return text
  const decimal = DECIMAL_COMMA.exec(text)
  if (decimal) return `${decimal[1]}.${decimal[2]}`
  const [, sign, whole, group, mark, fraction] = GROUPED.exec(text) ?? []
  if (!whole || mark === group) return text
  const digits = whole.replaceAll(group!, '')
  return fraction ? `${sign}${digits}.${fraction}` : `${sign}${digits}`
}

/** `3.12.2026`, with or without a time behind it, with the year first: days with points begin with the day everywhere. */
export const dayWritten = (text: string): string =>
  text.replace(
    /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?=$|[ T])/,
    (_, day: string, month: string, year: string) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
  )
