/** Numbers in inputs, by the decimal sign of the user's language. A form stores them in the API's format: `1249.50`. */

export type DecimalSign = '.' | ','
export const decimalSignOf = (locale: string): DecimalSign =>
  new Intl.NumberFormat(locale).format(0.5).includes(',') ? ',' : '.'

/** A number in the API's format: never converted to a float, so that decimals stay exact. */
const EXACT = /^-?(?:\d+(?:\.\d+)?|\.\d+)$/
export const isExact = (text: string) => EXACT.test(text)

/** Groups of three digits, or none; then decimals. With a decimal comma, a point is accepted too. */
const TYPED = {
  '.': /^(-?)(?:([1-9]\d{0,2}([,\s'’])\d{3}(?:\3\d{3})*)|(\d*))(?:(\.)(\d+))?$/,
  ',': /^(-?)(?:([1-9]\d{0,2}([.\s'’])\d{3}(?:\3\d{3})*)|(\d*))(?:([.,])(\d+))?$/,
}

/** Converts input to the API's format; undefined for an invalid number. */
export function readNumber(text: string, sign: DecimalSign): string | undefined {
  const [, minus, grouped, between, plain, mark, decimals] = TYPED[sign].exec(text.trim()) ?? []
  const whole = grouped?.replace(/\D/g, '') ?? plain
  if ((!whole && !decimals) || (mark && mark === between)) return undefined
  return `${minus}${whole || '0'}${decimals ? `.${decimals}` : ''}`
}

/** Formats a number of the API for an input, without grouping; other values stay. */
export const writeNumber = (value: unknown, sign: DecimalSign): string =>
  isExact(String(value)) ? String(value).replace('.', sign) : String(value)
