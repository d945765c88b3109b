/**
 * Parses untrusted XML in linear time. It must be well-formed and without a document type, hence without custom entities. Depth
 * and number of elements are limited, and nothing is ever fetched. Names are returned without prefixes. Call it in a child
 * process (`isolated`).
 */
import { Tokenizer } from 'htmlparser2'

export interface XmlElement {
  /** Without its prefix. */
  name: string
  /** Namespace URI; '' for none. */
  namespace: string
  /** Attributes without a prefix. */
  attributes: Record<string, string>
  children: XmlElement[]
  /** Text content, without that of child elements. */
  text: string
}

/** Error in a document. Its message begins with a verb: "Breaks off within <a>." */
export class XmlError extends Error {}

const MAX_DEPTH = 64
const MAX_ELEMENTS = 500_000
/** Maximum attributes of an element. */
const MAX_ATTRIBUTES = 64
const ENCODINGS = new Set([
  ...['utf-8', 'utf8', 'us-ascii', 'iso-8859-1', 'iso-8859-15', 'windows-1252', 'utf-16'],
  ...['iso-8859-2', 'windows-1250'], // Poland, Czechia, Hungary and neighbouring countries
])

/** Returns the root element of a document. Throws an XmlError. */
export function readXml(bytes: Uint8Array): XmlElement {
  const source = decoded(bytes)
  const bad = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.exec(source)
  if (bad) throw new XmlError(`Holds a character that XML has no room for, U+${hex(bad[0].charCodeAt(0))}.`)
  // The tokenizer would replace invalid character references.
  for (const [, decimal, hexadecimal] of source.matchAll(/&#(?:(\d+)|x([\da-f]+));/gi))
    character(decimal ? Number(decimal) : Number.parseInt(hexadecimal!, 16))
  const builder = new Builder(source)
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, builder)
  tokenizer.write(source)
  tokenizer.end()
  return builder.finished()
}

/** Returns the elements at a path of child names: `all(invoice, 'TaxTotal/TaxSubtotal')`. */
export function all(element: XmlElement | undefined, path: string): XmlElement[] {
  let found = element ? [element] : []
  for (const name of path.split('/')) found = found.flatMap(({ children }) => children.filter((child) => child.name === name))
  return found
}

/** Returns the first element at a path. */
export const first = (element: XmlElement | undefined, path: string): XmlElement | undefined => all(element, path)[0]

/** Returns the text of the first element at a path, with collapsed white space; undefined if it is empty. */
export const textAt = (element: XmlElement | undefined, path: string): string | undefined => trimmed(first(element, path))

/** Returns the text of an element, with collapsed white space; undefined if it is empty. */
export const trimmed = (element: XmlElement | undefined): string | undefined =>
  element?.text.replace(/\s+/g, ' ').trim() || undefined

const hex = (code: number) => code.toString(16).toUpperCase().padStart(4, '0')

/** Decodes by the byte order mark, else by the XML declaration, else as UTF-8. */
function decoded(bytes: Uint8Array): string {
  const [a, b] = bytes
  const marked = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : undefined
  const said = /^[^<]{0,3}<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.-]{1,40})["']/.exec(
    Buffer.from(bytes.subarray(0, 300)).toString('latin1'),
  )?.[1]
  const label = said?.toLowerCase() ?? 'utf-8'
  if (!marked && !ENCODINGS.has(label)) throw new XmlError(`Is written in ${said}, which is not read; send it in UTF-8.`)
  try {
    return new TextDecoder(marked ?? label, { fatal: true }).decode(bytes)
  } catch {
    throw new XmlError(`Holds bytes that are not ${(marked ?? label).toUpperCase()}.`)
  }
}

type Open = XmlElement & {
  /** Name as written, with its prefix. */
  written: string
  /** Namespaces declared by the element, by prefix. */
  declared?: Map<string, string>
}

/** Builds the tree from the tokenizer's events, with stricter checks. */
class Builder {
  readonly #source: string
  #root: XmlElement | undefined
  readonly #open: Open[] = []
  #elements = 0
  #tag: { name: string; attributes: Map<string, string> } | undefined
  #attribute = ''
  #value = ''

  constructor(source: string) {
    this.#source = source
  }

  finished(): XmlElement {
    const open = this.#open.at(-1)
    if (open) throw new XmlError(`Breaks off within <${short(open.written)}>.`)
    if (!this.#root || this.#tag) throw new XmlError('Holds no XML.')
    return this.#root
  }

  onopentagname(start: number, end: number) {
    const name = this.#source.slice(start, end)
    if (!NAME.test(name)) throw new XmlError(`Holds <${short(name)}>, which is no name of an element.`)
    if (++this.#elements > MAX_ELEMENTS) throw new XmlError(`Has more than ${MAX_ELEMENTS} elements.`)
    if (this.#open.length >= MAX_DEPTH) throw new XmlError(`Is nested more than ${MAX_DEPTH} deep.`)
    if (!this.#open.length && this.#root) throw new XmlError(`Holds <${short(name)}> behind its end.`)
    this.#tag = { name, attributes: new Map() }
  }

  onattribname(start: number, end: number) {
    this.#attribute = this.#source.slice(start, end)
    this.#value = ''
  }

  onattribdata(start: number, end: number) {
    this.#value += plain(this.#source.slice(start, end))
  }

  onattribentity(code: number) {
    this.#value += character(code)
  }

  onattribend(quote: number) {
    const { attributes } = this.#tag!
    if (!(quote === 2 || quote === 3)) throw new XmlError(`Has an attribute without quotes, ${short(this.#attribute)}.`)
    if (attributes.has(this.#attribute)) throw new XmlError(`Has the attribute ${short(this.#attribute)} twice.`)
    if (attributes.size >= MAX_ATTRIBUTES) throw new XmlError(`Has more than ${MAX_ATTRIBUTES} attributes in an element.`)
    attributes.set(this.#attribute, this.#value)
  }

  onopentagend() {
    const { name: written, attributes } = this.#tag!
    this.#tag = undefined
    const [local = '', prefix = ''] = written.split(':').toReversed()
    const declared = declaredIn(attributes)
    const plainOnes = [...attributes].filter(([name]) => !name.includes(':') && name !== 'xmlns')
    const element: Open = {
      name: local,
      namespace: '',
      attributes: Object.fromEntries(plainOnes),
      children: [],
      text: '',
      written,
      ...(declared.size ? { declared } : {}),
    }
    this.#open.push(element)
    element.namespace = this.#namespaceOf(prefix)
    if (this.#root) this.#open.at(-2)!.children.push(element)
    else this.#root = element
  }

  onselfclosingtag() {
    this.onopentagend()
    this.#open.pop()
  }

  onclosetag(start: number, end: number) {
    const name = this.#source.slice(start, end)
    const open = this.#open.pop()
    if (open?.written !== name) throw new XmlError(`Ends <${short(open?.written ?? '')}> by </${short(name)}>.`)
  }

  ontext(start: number, end: number) {
    this.#add(plain(this.#source.slice(start, end)))
  }

  ontextentity(code: number) {
    this.#add(character(code))
  }

  oncdata(start: number, end: number, offset: number) {
    this.#add(this.#source.slice(start, end - offset).replace(/^CDATA\[/, ''))
  }

  ondeclaration() {
    throw new XmlError('Must declare no document type (DTD) and no entities.')
  }

  oncomment() {}
  onprocessinginstruction() {}
  onend() {}

  #add(text: string) {
    const open = this.#open.at(-1)
    if (open) open.text += text
    else if (/[^\s\ufeff]/.test(text)) throw new XmlError('Holds text outside of its root element.')
  }

  #namespaceOf(prefix: string): string {
    for (let n = this.#open.length - 1; n >= 0; n--) {
      const uri = this.#open[n]!.declared?.get(prefix)
      if (uri !== undefined) return uri
    }
    if (prefix && prefix !== 'xml') throw new XmlError(`Uses the prefix ${short(prefix)}, which it doesn’t declare.`)
    return ''
  }
}

const NAME = /^[\p{L}_][\p{L}\p{N}\p{M}._·-]*(:[\p{L}_][\p{L}\p{N}\p{M}._·-]*)?$/u
const short = (name: string) => name.slice(0, 60)

/** Returns declared namespaces by prefix; '' is the default namespace. */
const declaredIn = (attributes: Map<string, string>) =>
  new Map(
    [...attributes].flatMap(([name, uri]): [string, string][] => {
      if (name === 'xmlns') return [['', uri]]
      return name.startsWith('xmlns:') ? [[name.slice(6), uri]] : []
    }),
  )

/** Returns text without entities or markup. Throws on `&`, whose entities the tokenizer reports separately, and on `<`. */
function plain(text: string): string {
  const at = text.search(/[&<]/)
  if (at >= 0)
    throw new XmlError(`Has a ${text[at] === '&' ? '& that names nothing known' : 'lone <'}: “${text.slice(at, at + 20)}”.`)
  return text
}

function character(code: number): string {
  const isAllowed =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) && (code & 0xfffe) !== 0xfffe)
  if (!isAllowed) throw new XmlError(`Holds a character that XML has no room for, U+${hex(code)}.`)
  return String.fromCodePoint(code)
}
