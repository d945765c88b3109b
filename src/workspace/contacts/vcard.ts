/** A contact as a vCard (RFC 6350, and RFC 2426 for programs that only read version 3). */

export const VERSIONS = ['4.0', '3.0'] as const
export type Version = (typeof VERSIONS)[number]

export interface ContactCard {
  name: string
  email: string | null
  phone: string | null
  job_title: string | null
  company: string | null
  linked_company: { name: string } | null
  address: string | null
  street: string | null
  postcode: string | null
  city: string | null
  country: string | null
  notes: string | null
  updated_at: string
}

/** Octets of a line; longer ones are folded. */
const MAX_LINE = 75

export function vcardOf(contact: ContactCard, version: Version): string {
  const { name, email, phone, job_title, address, street, postcode, city, country, notes, updated_at } = contact
  const company = contact.linked_company?.name ?? contact.company
  const line = (property: string, value: string | null) => (value ? [`${property}:${escaped(value)}`] : [])
  const hasAddress = [street, postcode, city, country, address].some(Boolean)
  const places = ['', '', street, city, '', postcode, country].map((part) => escaped(part ?? '')).join(';')
  const label = address && version === '4.0' ? `;LABEL="${parameter(address)}"` : ''
  const [family, given] = partsOfName(name)
  const lines = [
    'BEGIN:VCARD',
    `VERSION:${version}`,
    ...line('FN', name),
    `N:${escaped(family)};${escaped(given)};;;`,
    ...line('EMAIL', email),
    ...line('TEL', phone),
    ...line('TITLE', job_title),
    ...line('ORG', company),
    ...(hasAddress ? [`ADR${label}:${places}`] : []),
    ...(version === '3.0' ? line('LABEL', address) : []),
    ...line('NOTE', notes),
    `REV:${updated_at.replace(/[-:]|\.\d+/g, '')}`,
    'END:VCARD',
  ]
  return `${lines.map(folded).join('\r\n')}\r\n`
}

/** Takes the last word as the family name. FN contains the name unchanged. */
function partsOfName(name: string): [family: string, given: string] {
  const words = name.trim().split(/\s+/)
  return words.length > 1 ? [words.at(-1)!, words.slice(0, -1).join(' ')] : [name, '']
}

const escaped = (text: string) => text.replace(/[\\,;]/g, '\\$&').replace(/\r\n?|\n/g, '\\n')
/** RFC 6868. */
const parameter = (text: string) =>
  text
    .replace(/\^/g, '^^')
    .replace(/"/g, "^'")
    .replace(/\r\n?|\n/g, '^n')

/** Folds between characters, never inside one. */
function folded(line: string): string {
  const lines: string[] = []
  let current = ''
  let octets = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > MAX_LINE) {
      lines.push(current)
      current = ' '
      octets = 1
    }
    current += character
    octets += length
  }
  return [...lines, current].join('\r\n')
}
