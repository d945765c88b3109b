/** Formats of e-invoices: a syntax, and a profile of rules in addition to EN 16931. */

export type Profile = 'en16931' | 'xrechnung' | 'peppol'

/** Syntax and profile of each format. */
export const FORMATS = {
  cii: { syntax: 'cii', profile: 'en16931' },
  ubl: { syntax: 'ubl', profile: 'en16931' },
  xrechnung: { syntax: 'ubl', profile: 'xrechnung' },
  peppol: { syntax: 'ubl', profile: 'peppol' },
} as const satisfies Record<string, { syntax: 'cii' | 'ubl'; profile: Profile }>
export type Format = keyof typeof FORMATS

/** BT-24 */
export const SPECIFICATION: Record<Profile, string> = {
  en16931: 'urn:cen.eu:en16931:2017',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
  peppol: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
}

/** BT-23 */
export const processOf = (profile: Profile) => (profile === 'en16931' ? undefined : 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0')
