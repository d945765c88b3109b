/** Addresses of made-up people and firms. */

/** Latin letters alone, as they stand in addresses: Brückner becomes brueckner. */
export const asciiOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? 'ss')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')

/** The domain of a firm. `.example` is nobody's: whatever is mailed from a demo reaches no one. */
export const domainOf = (firm: string) =>
  `${asciiOf(firm)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}.example`

/** The address of somebody at a domain. */
export const addressAt = (name: string, domain: string) =>
  `${asciiOf(name)
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.|\.$/g, '')}@${domain}`
