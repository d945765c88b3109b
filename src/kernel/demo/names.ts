/** E-mail addresses and domains of demo people and companies. */

/** Transliterates a text to Latin letters for addresses: Brückner becomes brueckner. */
export const asciiOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[letter] ?? 'ss')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')

/** Returns the domain of a demo company. Top-level domain `.example` is reserved, so that mail from a demo reaches nobody. */
export const domainOf = (firm: string) =>
  `${asciiOf(firm)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}.example`

/** Returns a person's address at a domain. */
export const addressAt = (name: string, domain: string) =>
  `${asciiOf(name)
    .replace(/[^a-z0-9]+/g, '.')
    .replace(/^\.|\.$/g, '')}@${domain}`
