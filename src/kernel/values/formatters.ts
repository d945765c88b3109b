/** Cache of Intl formatters: creating one takes as long as formatting a hundred numbers. */
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

/** Returns a number formatter. Throws a RangeError for an invalid locale. */
export const numberFormat = keep(
  (locale, options: Intl.NumberFormatOptions): Intl.NumberFormat => new Intl.NumberFormat(locale, options),
)

/** Returns a date formatter. Throws a RangeError for an invalid locale. */
export const dateTimeFormat = keep(
  (locale, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => new Intl.DateTimeFormat(locale, options),
)

const displayNames = keep((locale, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames(locale, options))

/** Returns a country's name in a language, `Deutschland`. An unknown code (ISO 3166-1) is returned unchanged. */
export function countryName(code: string, locale: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  return displayNames(locale, { type: 'region', fallback: 'code' }).of(code) ?? code
}
