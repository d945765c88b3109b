/** Intl's formatters, kept by what they are made of: to make one takes as long as to write a hundred figures with it. */
import QuickLRU from 'quick-lru'

const keep = <Options, Formatter>(make: (locale: string, options: Options) => Formatter) => {
  const kept = new QuickLRU<string, Formatter>({ maxSize: 200 })
  return (locale: string, options: Options): Formatter => {
    const key = `${locale} ${JSON.stringify(options)}`
    let formatter = kept.get(key)
    if (!formatter) kept.set(key, (formatter = make(locale, options)))
    return formatter
  }
}

/** Of numbers. RangeError for what is no locale. */
export const numberFormat = keep(
  (locale, options: Intl.NumberFormatOptions): Intl.NumberFormat => new Intl.NumberFormat(locale, options),
)

/** Of days and times. RangeError for what is no locale. */
export const dateTimeFormat = keep(
  (locale, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => new Intl.DateTimeFormat(locale, options),
)

const displayNames = keep((locale, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames(locale, options))

/** A country by its name in a language, `Deutschland`; a code that is none (ISO 3166-1) stays as it is. */
export function countryName(code: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  return displayNames(locale, { type: 'region', fallback: 'code' }).of(code) ?? code
}
