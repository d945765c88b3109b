/** Numbers as inputs show and take them, by what stands before the decimals in the reader's language. A form holds them as the API has them: `1249.50`. */

export type DecimalSign = '.' | ','
export const decimalSignOf = (locale: string): DecimalSign =>
  new Intl.NumberFormat(locale).format(0.5).includes(',') ? ',' : '.'

/** A number as the API has it: no float is on the way, so that decimals stay exact. */
const EXACT = /^-?(?:\d+(?:\.\d+)?|\.\d+)$/
export const isExact = (text: string) => EXACT.test(text)

/** Groups of three digits, or none; then decimals. Where a comma stands before them, people from elsewhere type a point. */
const TYPED = {
  '.': /^(-?)(?:([1-9]\d{0,2}([,\s'’])\d{3}(?:\3\d{3})*)|(\d*))(?:(\.)(\d+))?$/,
  ',': /^(-?)(?:([1-9]\d{0,2}([.\s'’])\d{3}(?:\3\d{3})*)|(\d*))(?:([.,])(\d+))?$/,
}

/** What somebody typed as the API has it; undefined for what isn't a number. */
export function readNumber(text: string, sign: DecimalSign): string | undefined {
  const [, minus, grouped, between, plain, mark, decimals] = TYPED[sign].exec(text.trim()) ?? []
  const whole = grouped?.replace(/\D/g, '') ?? plain
  if ((!whole && !decimals) || (mark && mark === between)) return undefined
  return `${minus}${whole || '0'}${decimals ? `.${decimals}` : ''}`
}

/** A number of the API as it is typed, without grouping; anything else as it is. */
export const writeNumber = (value: unknown, sign: DecimalSign): string =>
  isExact(String(value)) ? String(value).replace('.', sign) : String(value)
