/**
 * Converts formatted text to elements and back to text. No string reaches the browser's HTML parser (Trusted Types): our own
 * parser creates the few allowed elements one by one. The API still sanitises all sent and received HTML.
 */
import { Parser } from 'htmlparser2'

/**
 * Source of the HTML: `kept` is ours or sanitised by the API, and keeps its styles; `pasted` is untrusted, and keeps only formats
 * of the toolbar; `undone` was in the editor a moment ago, with its markers.
 */
export type Origin = 'kept' | 'pasted' | 'undone'

/** Limits within which typing stays fast and a draft has room for its plain text. */
const MAX_NODES = 8_000
const MAX_CHARACTERS = 200_000
const MAX_HTML = 1_000_000
const MAX_DEPTH = 128

const SIMPLE: Record<string, string> = {
  ...{ b: 'b', strong: 'b', i: 'i', em: 'i', cite: 'i', u: 'u', ins: 'u', s: 's', strike: 's', del: 's', sub: 'sub', sup: 'sup' },
  ...{ a: 'a', br: 'br', p: 'p', div: 'div', ul: 'ul', ol: 'ol', li: 'li', blockquote: 'blockquote', pre: 'pre', code: 'code' },
}
/** Pasted elements that begin a line of their own. */
const LINES = new Set(
  'address article aside center dd dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header main nav section tr'.split(' '),
)
const RICH = new Set(
  'span font small hr h1 h2 h3 h4 h5 h6 address dl dt dd img table caption thead tbody tfoot tr th td'.split(' '),
)
/** Elements whose content is not part of the text. */
const UNSEEN = new Set(
  'script style head title meta link template noscript iframe object embed svg math textarea select option audio video canvas'.split(
    ' ',
  ),
)
const VOID = new Set(['br', 'hr', 'img', 'input'])

/** The properties that the API allows, without the ones that a reply doesn't need. */
const STYLES = new Set(
  (
    'color background-color font-family font-size font-style font-weight line-height text-align text-decoration vertical-align white-space width ' +
    'max-width height padding padding-top padding-right padding-bottom padding-left margin margin-top margin-right margin-bottom margin-left ' +
    'border border-top border-right border-bottom border-left border-collapse'
  ).split(' '),
)
const LAYOUT = new Set(
  'align valign width height bgcolor border cellpadding cellspacing colspan rowspan dir color face size'.split(' '),
)
const MAX_VALUE = 200
const MAX_ADDRESS = 8192

/** Returns the address of a link if its protocol is allowed; else undefined. */
export function linkOf(written: string): string | undefined {
  const text = written.trim()
  const url = text.length <= MAX_ADDRESS ? URL.parse(text) : null
  return url && ['http:', 'https:', 'mailto:', 'tel:'].includes(url.protocol) ? text : undefined
}

export interface Read {
  fragment: DocumentFragment
  /** The end is missing, because the text exceeds the limits. */
  isCut: boolean
}

/**
 * Creates elements from HTML, within the limits that the content of `within` leaves. Takes time linear in the length for any
 * input.
 */
export function readHtml(html: string, origin: Origin, within?: Element): Read {
  const fragment = document.createDocumentFragment()
  const maker = new Maker(fragment, origin, within)
  const long = origin !== 'undone' && html.length > MAX_HTML
  const parser = new Parser({
    onopentag: (name, attributes) => maker.open(name, attributes),
    ontext: (text) => maker.text(text),
    onclosetag: (name) => maker.close(name),
  })
  try {
    parser.end(long ? html.slice(0, MAX_HTML) : html)
  } catch (error) {
    if (!(error instanceof Full)) throw error
  }
  maker.flush()
  return { fragment, isCut: long || maker.isFull }
}

/** Thrown to end the parsing. */
class Full extends Error {}

type Made = [outer: HTMLElement, inner: HTMLElement] | undefined

class Maker {
  isFull = false
  private readonly at: { name: string; node: Node }[]
  private readonly origin: Origin
  /** Number of open elements, including skipped ones. */
  private depth = 0
  private unseen = 0
  private pre = 0
  private nodes: number
  private characters: number
  private pieces: string[] = []

  constructor(fragment: Node, origin: Origin, within: Element | undefined) {
    this.at = [{ name: '', node: fragment }]
    this.origin = origin
    this.nodes = within?.querySelectorAll('*').length ?? 0
    this.characters = within?.textContent.length ?? 0
  }

  open(name: string, attributes: Record<string, string>) {
    this.flush()
    // A parser searches all open elements: parsing ends at a nesting deeper than people write.
    if (++this.depth > MAX_DEPTH && this.origin !== 'undone') this.full()
    if (UNSEEN.has(name)) return void this.unseen++
    if (this.unseen) return
    const made = this.origin === 'pasted' ? this.plain(name, attributes) : this.rich(name, attributes)
    if (made) this.put(made[0])
    if (name === 'pre') this.pre++
    if (!VOID.has(name)) this.at.push({ name, node: made?.[1] ?? this.at.at(-1)!.node })
  }

  close(name: string) {
    this.flush()
    this.depth--
    if (UNSEEN.has(name)) return void (this.unseen && this.unseen--)
    if (this.unseen || VOID.has(name) || this.at.length === 1) return
    if (name === 'pre') this.pre--
    this.at.pop()
    if (this.origin === 'pasted' && (name === 'td' || name === 'th')) this.text(' ')
  }

  text(text: string) {
    if (this.unseen) return
    const left = this.origin === 'undone' ? text.length : Math.max(MAX_CHARACTERS - this.characters, 0)
    this.characters += text.length
    this.pieces.push(text.slice(0, left))
    if (text.length > left) this.full()
  }

  /** Joins the pieces of a text, which is split by entities. */
  flush() {
    const text = this.pieces.join('')
    this.pieces = []
    if (text) this.at.at(-1)!.node.appendChild(document.createTextNode(this.pre ? text : text.replace(/[ \t\r\n\f]+/g, ' ')))
  }

  private full(): never {
    this.isFull = true
    throw new Full()
  }

  private put(node: Node) {
    if (++this.nodes > MAX_NODES && this.origin !== 'undone') this.full()
    this.at.at(-1)!.node.appendChild(node)
  }

  /**
   * Returns the element and the node for its content. Of pasted HTML it keeps bold, italic, underline, strikethrough, links,
   * lists, quotes and lines.
   */
  private plain(name: string, attributes: Record<string, string>): Made {
    if (name === 'img') {
      if (attributes.alt) this.text(attributes.alt)
      return undefined
    }
    const style = new Map(declarationsOf(attributes.style?.toLowerCase() ?? ''))
    const weight = style.get('font-weight') ?? ''
    const lines = `${style.get('text-decoration')} ${style.get('text-decoration-line')}`
    // Google Docs wraps its text in a <b> that isn't bold.
    const isLight = /^(normal|[1-5]00)/.test(weight)
    const marks = [
      /^(bold|[6-9]00)/.test(weight) || /^h[1-6]$/.test(name) ? 'b' : '',
      style.get('font-style')?.startsWith('italic') ? 'i' : '',
      lines.includes('underline') && name !== 'a' ? 'u' : '',
      lines.includes('line-through') ? 's' : '',
    ].filter((mark) => mark && mark !== SIMPLE[name])
    const made = SIMPLE[name] === 'b' && isLight ? undefined : (SIMPLE[name] ?? (LINES.has(name) ? 'div' : undefined))
    const elements = [made, ...marks].filter((one) => one !== undefined).map((one) => document.createElement(one))
    const [first] = elements
    if (!first) return undefined
    if (made === 'a') setLink(first, attributes.href)
    return [first, elements.reduce((outer, inner) => outer.appendChild(inner))]
  }

  private rich(name: string, attributes: Record<string, string>): Made {
    const alone = name === 'input' ? this.origin === 'undone' && bookmark(attributes) : name === 'img' && picture(attributes)
    if (alone) return [alone, alone]
    const tag = name === 'center' ? 'div' : (SIMPLE[name] ?? (RICH.has(name) ? name : undefined))
    if (!tag || tag === 'img') return undefined
    const element = document.createElement(tag)
    if (name === 'center') element.setAttribute('align', 'center')
    if (tag === 'a') setLink(element, attributes.href)
    if (attributes.class && this.origin === 'undone') element.className = attributes.class
    for (const [attribute, value] of Object.entries(attributes))
      if (LAYOUT.has(attribute) && value.length <= MAX_VALUE) element.setAttribute(attribute, value)
    if (attributes.style) setStyle(element, attributes.style)
    return [element, element]
  }
}

function setLink(element: Element, href: string | undefined) {
  const link = href && linkOf(href)
  if (link) element.setAttribute('href', link)
}

/** Declarations of a style, up to a maximum length. */
const declarationsOf = (style: string): [property: string, value: string][] =>
  style
    .slice(0, MAX_ADDRESS)
    .split(';')
    .map((declaration) => {
      const colon = declaration.indexOf(':')
      return [declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()]
    })

/** Sets single properties, because the page's policy forbids style attributes. */
function setStyle(element: HTMLElement, style: string) {
  for (const [property, value] of declarationsOf(style)) {
    const isPlain =
      value.length <= MAX_VALUE && /^[\w\s.,%#()'"!-]+$/.test(value) && !/(url|expression|image|var)\s*\(/i.test(value)
    if (STYLES.has(property) && isPlain) element.style.setProperty(property, value)
  }
}

/** Embedded images are shown. Remote ones are not loaded, because their server would learn that somebody is writing. */
function picture({
  src = '',
  'data-remote-src': waiting = '',
  alt = '',
  ...more
}: Record<string, string>): HTMLElement | undefined {
  const remote = /^https?:/i.test(src) ? src : waiting
  const isOwn = /^data:image\/(png|jpe?g|gif|webp);base64,[\w+/=]*$/i.test(src)
  if (!isOwn && !/^https?:/i.test(remote)) return undefined
  const image = document.createElement('img')
  image.alt = alt
  if (isOwn) image.src = src
  else image.setAttribute('data-remote-src', remote.slice(0, MAX_ADDRESS))
  for (const name of ['width', 'height']) if (more[name] && /^\d{1,4}%?$/.test(more[name])) image.setAttribute(name, more[name])
  return image
}

/** Squire's marker of the selection. */
function bookmark({ id }: Record<string, string>): HTMLElement | undefined {
  if (id !== 'squire-selection-start' && id !== 'squire-selection-end') return undefined
  const input = document.createElement('input')
  input.type = 'hidden'
  input.id = id
  return input
}

// Plain text sent in addition to the HTML: quotes with `>`, lists with their markers.

const INLINE = new Set('a b br code em font i img ins s small span strike strong sub sup u del input mark'.split(' '))

/** Returns the text of an element's content, in lines. */
export const textIn = (root: Node): string =>
  linesIn(root)
    .join('\n')
    .replace(/\u200b/g, '')
    .replace(/\u00a0/g, ' ')

function linesIn(root: Node): string[] {
  const lines: string[] = []
  /** The current line; undefined if none was begun. */
  let line: string | undefined
  let count = 0
  const end = () => {
    if (line !== undefined) lines.push(line)
    line = undefined
  }
  const walk = (node: Node) => {
    for (const child of node.childNodes) {
      if (child instanceof Text) {
        const parts = child.data.split('\n')
        line = (line ?? '') + parts[0]
        for (const part of parts.slice(1)) {
          end()
          line = part
        }
      } else if (child instanceof HTMLElement) element(child)
    }
  }
  const element = (one: HTMLElement) => {
    const name = one.localName
    if (name === 'br') {
      line ??= ''
      return end()
    }
    if (name === 'img') line = (line ?? '') + ((one as HTMLImageElement).alt ?? '')
    else if (name === 'hr') {
      end()
      lines.push('----------')
    } else if (INLINE.has(name)) {
      walk(one)
      const href = name === 'a' && one.getAttribute('href')
      if (href && !isSaid(href, one.textContent)) line = `${line ?? ''} <${href}>`
    } else {
      end()
      lines.push(...blockIn(one, ++count))
      if (name === 'p' && one.nextElementSibling) lines.push('')
    }
  }
  walk(root)
  end()
  return lines
}

function blockIn(block: HTMLElement, nth: number): string[] {
  const name = block.localName
  if (name === 'tr') return [[...block.children].map((cell) => linesIn(cell).join(' ').trim()).join(' | ')]
  const lines = linesIn(block)
  if (name === 'blockquote') return lines.map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`))
  if (name !== 'li') return lines
  const mark = block.parentElement?.localName === 'ol' ? `${nth}. ` : '- '
  return lines.map((line, n) => (n ? ' '.repeat(mark.length) : mark) + line)
}

const isSaid = (href: string, text: string) => {
  const said = text.trim()
  return [said, `mailto:${said}`, `https://${said}`, `http://${said}`, `tel:${said}`].some(
    (one) => one === href || `${one}/` === href,
  )
}

/** Whether the plain text is complete, i.e. no formatting would be lost. */
export const isPlain = (root: ParentNode) =>
  !root.querySelector(':not(div, br, p, blockquote, a, input), [style], [align], [dir]') &&
  [...root.querySelectorAll('a')].every((link) => isSaid(link.getAttribute('href') ?? '', link.textContent))
