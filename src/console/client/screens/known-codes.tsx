import { locale } from './values.tsx'

/** Suggested languages; others are accepted as well. */
const LANGUAGES = ['ar', 'cs', 'da', 'de', 'en', 'es', 'fr', 'he', 'it', 'nl', 'pl', 'pt', 'sv', 'tr']

function codesOf(kind: string): { value: string; label?: string | undefined }[] {
  if (kind === 'timezone') return Intl.supportedValuesOf('timeZone').map((value) => ({ value }))
  const [type, all] =
    kind === 'currency' ? (['currency', Intl.supportedValuesOf('currency')] as const) : (['language', LANGUAGES] as const)
  const names = new Intl.DisplayNames(locale, { type })
  return all.map((value) => ({ value, label: names.of(value) }))
}

/** Suggestions of codes known to the browser, with names in the user's language. */
export const KnownCodes = ({ id, kind }: { id: string; kind: string }) => (
  <datalist id={id}>
    {codesOf(kind).map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </datalist>
)
