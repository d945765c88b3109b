/** Formatted text: HTML of a few harmless tags, and the same text for paper and for mails without markup. */
import { Parser } from 'htmlparser2'
import sanitize from 'sanitize-html'
import { z } from 'zod'

const OPTIONS: sanitize.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'div', 'span', 'h1', 'h2', 'h3', 'h4', 'blockquote', 'pre', 'code'],
    ...['strong', 'b', 'em', 'i', 'u', 's', 'sub', 'sup', 'a', 'ul', 'ol', 'li'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  allowedAttributes: { a: ['href', 'rel'], td: ['colspan'], th: ['colspan'] },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  // Deeper nesting is dropped: what draws or shows the text recurses.
  nestingLimit: 20,
  transformTags: { a: sanitize.simpleTransform('a', { rel: 'noopener noreferrer nofollow' }) },
}

/** HTML without scripts, styles, images, events and foreign schemes. */
export const sanitizeHtml = (html: string) => sanitize(html, OPTIONS).trim()

/** Optional formatted text: sanitised before it is stored (INV-08); null where no text is left. */
export const optionalHtml = (max = 65_535) =>
  z
    .string()
    .max(max, `Must be at most ${max} characters.`)
    .meta({ format: 'html' })
    .transform((value) => {
      const clean = sanitizeHtml(value.toWellFormed())
      return plainOf(clean) === '' ? null : clean
    })
    .nullish()

/** Text of one style. */
export interface Run {
  text: string
  bold?: boolean
  italic?: boolean
  underline?: boolean
  strike?: boolean
}

/** What formatted text consists of when it is set line by line: paragraphs, headings, items of lists, rows of tables, rules. */
export type Block =
  | { kind: 'paragraph' | 'heading' | 'quote'; level: number; runs: Run[] }
  | { kind: 'item'; level: number; marker: string; runs: Run[] }
  | { kind: 'row'; head: boolean; cells: Run[][] }
  | { kind: 'rule' }

const STYLES: Record<string, Exclude<keyof Run, 'text'>> = {
  strong: 'bold',
  b: 'bold',
  th: 'bold',
  em: 'italic',
  i: 'italic',
  u: 'underline',
  a: 'underline',
  s: 'strike',
}
const BREAKS = new Set(['p', 'div', 'blockquote', 'pre', 'ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'td', 'th'])
const HEADING = /^h([1-4])$/

/** The blocks of sanitised HTML, in their order. */
export function blocksOf(html: string): Block[] {
  const blocks: Block[] = []
  const open: string[] = []
  const lists: { ordered: boolean; count: number }[] = []
  let runs: Run[] = []
  let marker: string | undefined
  let row: Run[][] | undefined

  const within = (tag: string) => open.includes(tag)
  const trimmed = (all: Run[]) => {
    const kept = all.filter(({ text }) => text !== '')
    if (kept[0]) kept[0] = { ...kept[0], text: kept[0].text.replace(/^[ \n]+/, '') }
    const last = kept.length - 1
    if (kept[last]) kept[last] = { ...kept[last], text: kept[last].text.replace(/[ \n]+$/, '') }
    return kept.filter(({ text }) => text !== '')
  }

  /** Ends the block at hand. */
  function end() {
    const text = trimmed(runs)
    runs = []
    if (!text.length) return
    if (row) {
      const cell = row.at(-1) // text between cells belongs nowhere
      if (cell) cell.push(...(cell.length ? [{ text: '\n' }] : []), ...text)
      return
    }
    const heading = open.map((tag) => HEADING.exec(tag)?.[1]).find(Boolean)
    if (heading) blocks.push({ kind: 'heading', level: Number(heading), runs: text })
    else if (lists.length) blocks.push({ kind: 'item', level: lists.length, marker: marker ?? '', runs: text })
    else blocks.push({ kind: within('blockquote') ? 'quote' : 'paragraph', level: 1, runs: text })
    marker = undefined
  }

  const parser = new Parser({
    onopentag(tag) {
      if (tag === 'br') return runs.push({ text: '\n' })
      if (BREAKS.has(tag) || HEADING.test(tag) || tag === 'hr') end()
      if (tag === 'hr') return blocks.push({ kind: 'rule' })
      open.push(tag)
      if (tag === 'ul' || tag === 'ol') lists.push({ ordered: tag === 'ol', count: 0 })
      const list = lists.at(-1)
      if (tag === 'li' && list) marker = list.ordered ? `${++list.count}.` : '•'
      if (tag === 'tr') row = []
      if (tag === 'td' || tag === 'th') row?.push([])
    },
    ontext(text) {
      const styles = open.flatMap((tag) => (STYLES[tag] ? [[STYLES[tag], true] as const] : []))
      runs.push({ text: within('pre') ? text : text.replace(/\s+/g, ' '), ...Object.fromEntries(styles) })
    },
    onclosetag(tag) {
      if (tag === 'br' || tag === 'hr') return
      if (BREAKS.has(tag) || HEADING.test(tag)) end()
      if (tag === 'ul' || tag === 'ol') lists.pop()
      if (tag === 'tr' && row) {
        if (row.length) blocks.push({ kind: 'row', head: within('thead'), cells: row })
        row = undefined
      }
      open.splice(open.lastIndexOf(tag), 1)
    },
  })
  parser.end(html)
  end()
  return blocks
}

const textOf = (runs: Run[]) => runs.map(({ text }) => text).join('')

/** The text without its markup, a line for each block. */
export const plainOf = (html: string): string =>
  blocksOf(html)
    .map((block) => {
      if (block.kind === 'rule') return ''
      if (block.kind === 'row') return block.cells.map(textOf).join(' | ')
      return block.kind === 'item' ? `${block.marker} ${textOf(block.runs)}` : textOf(block.runs)
    })
    .join('\n')
    .trim()
