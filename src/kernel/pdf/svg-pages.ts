/** Pictures of a document's pages. Typst writes one SVG with all pages below each other; each page becomes a standalone SVG. */

/** Pages of a document as SVG pictures. */
export interface DrawnPages {
  /** Number of pages in the document. */
  count: number
  /** First pages and the last one, with page numbers from 1. */
  pages: { number: number; svg: string }[]
}

/** Maximum number of pages returned, and of characters in all of them. The first page is always returned. */
const MAX_PAGES = 10
const MAX_CHARACTERS = 6_000_000

/** Splits a document's SVG into pages. Throws if it hasn't the structure that Typst writes. */
export function pagesOf(svg: string): DrawnPages {
  const [opening = '', ...parts] = svg.slice(0, svg.lastIndexOf('\n</svg>')).split(/\n {4}<(?!\/)/) // direct children
  const defs = parts.filter((part) => part.startsWith('defs'))
  const sheets = parts.filter((part) => part.startsWith('path'))
  const drawn = parts.filter((part) => part.startsWith('g'))
  if (!opening.startsWith('<svg') || !drawn.length || sheets.length !== drawn.length)
    throw new Error('This SVG isn’t one of pages.')
  const glyphs = defs.filter((part) => part.startsWith('defs id="glyph"')).flatMap(glyphsOf)
  const others = defs.filter((part) => !part.startsWith('defs id="glyph"')).map((part) => `<${part}`)
  const numbers = drawn.map((_, n) => n + 1)
  const wanted = numbers.length > MAX_PAGES ? [...numbers.slice(0, MAX_PAGES - 1), numbers.length] : numbers
  const pages: DrawnPages['pages'] = []
  let characters = 0
  for (const number of wanted) {
    const page = pageOf(sheets[number - 1]!, drawn[number - 1]!, glyphs, others)
    characters += page.length
    if (pages.length && characters > MAX_CHARACTERS) break
    pages.push({ number, svg: page })
  }
  return { count: drawn.length, pages }
}

/** Returns the glyphs shared by all pages, with their ids. */
const glyphsOf = (defs: string) =>
  defs
    .slice(0, defs.lastIndexOf('\n    </defs>'))
    .split(/\n {8}<(?!\/)/)
    .slice(1)
    .map((glyph): [string, string] => [/\bid="([^"]+)"/.exec(glyph)?.[1] ?? '', `<${glyph}`])

/** Returns a page at the origin, with the glyphs it uses. */
function pageOf(sheet: string, drawn: string, glyphs: [string, string][], others: string[]) {
  const [, height, width] = /v ([\d.]+) h ([\d.]+)/.exec(sheet) ?? []
  if (!height) throw new Error('A page of this SVG has no size.')
  const used = new Set(Array.from(drawn.matchAll(/href="#([^"]+)"/g), ([, id]) => id))
  const own = glyphs.flatMap(([id, glyph]) => (used.has(id) ? [glyph] : []))
  const atOrigin = drawn.replace(/^g transform="[^"]*"/, 'g')
  const head = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 ${width} ${height}" width="${width}pt" height="${height}pt">`
  return `${head}<${sheet}<${atOrigin}<defs>${own.join('')}</defs>${others.join('')}</svg>`
}
