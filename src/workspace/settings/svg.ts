/**
 * Sanitises untrusted SVG: parsed as XML and rewritten from allowed elements. Content that could run, load or expand is rejected;
 * data of drawing programs (metadata, custom attributes) is removed.
 */
import { Parser } from 'htmlparser2'

/** A message about the rejected picture, or a sanitised one. */
export type CleanSvg = { wrong: string } | { svg: string }

const SHAPES = ['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'tspan', 'textPath', 'use']
const GROUPS = ['svg', 'g', 'defs', 'symbol', 'clipPath', 'mask', 'pattern', 'marker', 'switch']
const PAINTS = ['linearGradient', 'radialGradient', 'stop', 'style', 'title', 'desc']
const ELEMENTS = new Set([...SHAPES, ...GROUPS, ...PAINTS])
const MAX_ELEMENTS = 5000
const MAX_DEPTH = 50
/** Maximum number of `use` elements: nested ones multiply. */
const MAX_USES = 50
/** Maximum width and height of the picture, in pixels. */
const MAX_SIDE = 10_000
const NAMESPACE = 'http://www.w3.org/2000/svg'

class Refused extends Error {}

/** Sanitises an SVG of bounded length. Runs in a child process. */
export function cleanSvg(source: string): CleanSvg {
  try {
    return { svg: rewritten(source) }
  } catch (error) {
    if (error instanceof Refused) return { wrong: error.message }
    throw error
  }
}

interface Element {
  name: string
  id?: string
}

function rewritten(source: string): string {
  const written: string[] = []
  const open: Element[] = []
  /** Ids of elements that contain a `use`, and ids that uses refer to. */
  const holdsUse = new Set<string>()
  const used: string[] = []
  let elements = 0
  /** Depth within a removed element. */
  let leftOut = 0

  const parser = new Parser(
    {
      onprocessinginstruction(name, text) {
        if (name === '?xml') return
        if (name.toUpperCase() === '!DOCTYPE' && !text.includes('[')) return
        throw new Refused('Must declare no entities, style sheets or other instructions.')
      },
      onopentag(name, attributes) {
        if (leftOut || isForeign(name)) return void leftOut++
        if (!ELEMENTS.has(name)) throw new Refused(`Must hold no <${name.slice(0, 50)}>.`)
        if (!open.length && (elements || name !== 'svg')) throw new Refused('Must be one <svg>.')
        if (++elements > MAX_ELEMENTS) throw new Refused(`Must have at most ${MAX_ELEMENTS} elements.`)
        if (open.length >= MAX_DEPTH) throw new Refused(`Must be nested at most ${MAX_DEPTH} deep.`)
        if (!open.length) checkSize(attributes)
        const kept = Object.entries(attributes).flatMap(([key, value]) => attribute(name, key, value))
        if (name === 'use') {
          for (const { id } of open) if (id) holdsUse.add(id)
          if (attributes.id) holdsUse.add(attributes.id)
          used.push(...kept.flatMap(([key, value]) => (key === 'href' ? [value.slice(1)] : [])))
          if (used.length > MAX_USES) throw new Refused(`Must have at most ${MAX_USES} <use>.`)
        }
        if (!open.length) kept.unshift(['xmlns', NAMESPACE])
        written.push(`<${name}${kept.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')}>`)
        open.push({ name, id: attributes.id })
      },
      ontext(text) {
        if (leftOut || !open.length) return
        if (open.at(-1)!.name === 'style') checkStyle(text)
        written.push(escaped(text))
      },
      onclosetag() {
        if (leftOut) return void leftOut--
        const closed = open.pop()
        if (closed) written.push(`</${closed.name}>`)
      },
    },
    { xmlMode: true },
  )
  parser.end(source)
  if (!elements) throw new Refused('Must be a PNG or SVG picture.')
  if (used.some((id) => holdsUse.has(id))) throw new Refused('Must have no <use> of what has a <use> itself.')
  return written.join('')
}

/** Elements of another namespace, and metadata. */
const isForeign = (name: string) => name.includes(':') || name === 'metadata'

/** Returns the sanitised attribute, or none. */
function attribute(element: string, name: string, value: string): [string, string][] {
  if (/^on/i.test(name)) throw new Refused('Must hold no scripts.')
  if (name === 'href' || name === 'xlink:href') {
    if (!value.startsWith('#')) throw new Refused('Must refer to nothing outside of it.')
    return [['href', value]]
  }
  if (name === 'xml:space') return [[name, value === 'preserve' ? value : 'default']]
  if (!/^[A-Za-z][\w-]{0,50}$/.test(name) || name === 'xmlns' || (element === 'svg' && name === 'version')) return []
  checkStyle(value)
  return [[name, value]]
}

/** Rejects values and style sheets that refer to anything outside of the picture. */
function checkStyle(text: string) {
  if (/[@\\]|javascript:|expression\(|url\(\s*["']?(?!["'#])/i.test(text))
    throw new Refused('Must refer to nothing outside of it, and hold no @rules in its styles.')
}

function checkSize({ width, height, viewBox = '' }: Record<string, string>) {
  const box = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const sides = [width, height].map((side, n) =>
    side === undefined || side.endsWith('%') ? box[n + 2] : Number.parseFloat(side),
  )
  if (!sides.every((side) => side !== undefined && side > 0 && side <= MAX_SIDE))
    throw new Refused(`Must say its size, by width and height or a viewBox, of at most ${MAX_SIDE} each.`)
}

const escaped = (text: string) =>
  text
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
