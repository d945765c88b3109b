/** Writes XML: elements as text. Empty elements are omitted, because documents must not contain any (PEPPOL-EN16931-R008). */

/** Finished markup; undefined for nothing. */
export type Xml = string | undefined
type Attributes = Record<string, string>

/** An element with child elements, which may also be lists. */
export function group(name: string, ...inner: (Xml | Xml[])[]): Xml {
  const content = inner.flat().filter(Boolean).join('')
  return content && `<${name}>${content}</${name}>`
}

/** An element with a text. */
export function leaf(name: string, value: string | null | undefined, attributes: Attributes = {}): Xml {
  const text = value ? writable(value).trim() : ''
  if (!text) return undefined
  const said = Object.entries(attributes).map(([key, given]) => ` ${key}="${escaped(given)}"`)
  return `<${name}${said.join('')}>${escaped(text)}</${name}>`
}

/** A whole document. */
export const xmlDocument = (name: string, namespaces: Attributes, ...inner: (Xml | Xml[])[]) => {
  const declared = Object.entries(namespaces).map(([prefix, uri]) => ` xmlns${prefix && `:${prefix}`}="${uri}"`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}${declared.join('')}>${inner.flat().filter(Boolean).join('')}</${name}>\n`
}

/** Removes characters that XML 1.0 doesn't allow: control characters other than tab and line ends, and lone surrogates. */
export const writable = (text: string) => text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g, '')
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]!)
