/** The profile of an e-invoice: the rules of its specification (BT-24), which may allow more or less than EN 16931. */

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

/** Endings of the specification's last part that identify a profile of ZUGFeRD or Factur-X. */
const FACTUR_X: [string, Profile][] = [
  [':minimum', 'minimum'],
  [':basicwl', 'basic_wl'],
  [':basic-wl', 'basic_wl'],
  [':extended', 'factur_x_extended'],
  [':basic', 'basic'],
]

/**
 * Returns the profile of a specification, by default EN 16931. Its parts follow each other, the narrowest last:
 * `…#compliant#urn:…`.
 */
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

/** Names of profiles without lines, in which only the page shows what was bought. */
export const WITHOUT_LINES: Partial<Record<Profile, string>> = { minimum: 'MINIMUM', basic_wl: 'BASIC WL' }
