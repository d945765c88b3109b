/** The profile of an e-invoice: the rules that its specification (BT-24) names, which allow more or less than EN 16931 does. */

export const PROFILES = [
  'minimum',
  'basic_wl',
  'basic',
  'en16931',
  'factur_x_extended',
  'xrechnung',
  'xrechnung_extension',
  'peppol',
] as const
export type Profile = (typeof PROFILES)[number]

/** How the last part of a specification ends where ZUGFeRD or Factur-X names a profile. */
const FACTUR_X: [string, Profile][] = [
  [':minimum', 'minimum'],
  [':basicwl', 'basic_wl'],
  [':basic-wl', 'basic_wl'],
  [':extended', 'factur_x_extended'],
  [':basic', 'basic'],
]

/** The profile that a specification names; else EN 16931 itself. Parts follow each other, the narrowest last: `…#compliant#urn:…`. */
export function profileOf(specification: string | null): Profile {
  const whole = (specification ?? '').toLowerCase()
  const last = whole.slice(whole.lastIndexOf('#') + 1)
  if (last.endsWith(':extended-ctc-fr')) return 'factur_x_extended'
  const isFacturX = last.includes('factur-x') || last.includes('zugferd')
  const found = isFacturX && FACTUR_X.find(([end]) => last.endsWith(end))
  if (found) return found[1]
  if (whole.includes(':extension:xrechnung_')) return 'xrechnung_extension'
  if (whole.includes(':xrechnung_')) return 'xrechnung'
  return whole.includes(':peppol.eu:') ? 'peppol' : 'en16931'
}

/** Profiles that hold no lines: what was bought stands on the page alone. The names are the ones that people read. */
export const WITHOUT_LINES: Partial<Record<Profile, string>> = { minimum: 'MINIMUM', basic_wl: 'BASIC WL' }
