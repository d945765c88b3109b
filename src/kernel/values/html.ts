/** Formatted text: HTML with a few harmless tags, and its conversion to blocks for PDFs and to plain text for mails. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type sanitize from 'sanitize-html'
import { z } from 'zod'
import { onDemand } from '../on-demand.ts'
import { depthLimited, htmlparser2 } from './html-depth.ts'

const sanitizer = onDemand<typeof sanitize>('sanitize-html')

/** Sanitised HTML may be longer: an ampersand becomes five characters, and unclosed tags are closed. */
const MAX_GROWTH = 6
/** Maximum length of a link's address. Longer ones are dropped. */
const MAX_ADDRESS = 8192

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
  // Deeper tags are dropped and their text stays, because rendering recurses.
  nestingLimit: 20,
  transformTags: { a: link },
}

function link(tagName: string, { href, ...others }: sanitize.Attributes): sanitize.Tag {
  const attribs: sanitize.Attributes = { ...others, rel: 'noopener noreferrer nofollow' }
  return { tagName, attribs: href !== undefined && href.length <= MAX_ADDRESS ? { href, ...attribs } : attribs }
}

/**
 * Removes scripts, styles, images, event handlers and foreign schemes from HTML of any length. For child processes and tests.
 * Takes time linear in the length: some 40 ms for the worst 65,535 characters known to html.test.ts.
 */
export const sanitizeLong = (html: string) => sanitizer()(html, { ...OPTIONS, parser: depthLimited() }).trim()

/** Maximum characters of HTML that may be sanitised on the event loop: at worst 10 ms. */
export const MAX_ON_LOOP = 16_384

/** Sanitises HTML that is short enough for the event loop. Throws on longer HTML. */
export function sanitizeHtml(html: string): string {
  assertShort(html.length)
  return sanitizeLong(html)
}

function assertShort(length: number) {
  if (length > MAX_ON_LOOP)
    throw new Error(
      `HTML of ${length} characters must be sanitised in a child process before it is read: see http/formatted-texts.ts.`,
    )
}

/** Returns whether sanitised HTML contains no text. */
const isBlank = (clean: string) => clean.replace(/<[^<>]*>/g, '').trim() === ''

/** Sanitises texts. Runs in a child process. */
export const sanitizeAll = (texts: string[]): string[] => texts.map((text) => sanitizeLong(text.toWellFormed()))

/** Texts sanitised in a child process for the current work, with their results. */
const sanitized = new AsyncLocalStorage<ReadonlyMap<string, string>>()

/** Runs work whose schemas use these results for the texts. */
export const withSanitized = <T>(results: ReadonlyMap<string, string>, work: () => T): T =>
  sanitized.run(new Map([...(sanitized.getStore() ?? []), ...results]), work)

/**
 * How the current call of `parse` treats formatted texts: stored ones are used unchanged, received ones are limited in their
 * total length.
 */
let reading: { areStored: boolean; length: number } | undefined

function reads<T>(how: NonNullable<typeof reading>, work: () => T): T {
  const outer = reading
  reading = how
  try {
    return work()
  } finally {
    reading = outer
  }
}

/**
 * Runs a schema on a request body. Formatted texts not sanitised in a child process may have `MAX_ON_LOOP` characters in total.
 */
export const readingSent = <T>(work: () => T): T => reads({ areStored: reading?.areStored ?? false, length: 0 }, work)

/** Runs a schema on stored data. Its formatted texts were sanitised when they were received, and stay unchanged. */
export const readingStored = <T>(work: () => T): T => reads({ areStored: true, length: 0 }, work)

function cleaned(text: string): string {
  if (reading?.areStored) return text
  const result = sanitized.getStore()?.get(text)
  if (result !== undefined) return result
  if (reading) assertShort((reading.length += text.length))
  return sanitizeHtml(text.toWellFormed())
}

const formattedTexts = new WeakSet<z.core.$ZodType>()
/** Returns whether a schema is a formatted text. */
export const isFormattedText = (schema: z.core.$ZodType) => formattedTexts.has(schema)

/**
 * Optional formatted text, sanitised before it is stored (INV-08); null if no text remains. A long text that wasn't sanitised in
 * a child process throws an error, which is a defect and not a rejection.
 */
export function optionalHtml(max = 65_535) {
  const text = z
    .string()
    .max(max, `Must be at most ${max} characters.`)
    .meta({ format: 'html' })
    .transform((value, { addIssue }) => {
      const clean = cleaned(value)
      if (clean.length > MAX_GROWTH * max)
        addIssue({ code: 'custom', message: `Its HTML becomes longer than ${MAX_GROWTH * max} characters.` })
      return isBlank(clean) ? null : clean
    })
  formattedTexts.add(text)
  return text.nullish()
}

/** Text with a uniform style. */
export interface Run {
  text: string
  bold?: boolean
  italic?: boolean
  underline?: boolean
  strike?: boolean
}

/** Block of formatted text, for rendering line by line. */
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
const HEADINGS: Record<string, number> = { h1: 1, h2: 2, h3: 3, h4: 4 }

/** Returns the blocks of sanitised HTML in order. Takes time linear in the length. */
export function blocksOf(html: string): Block[] {
  const blocks: Block[] = []
  /** Number of open elements by name, and by style. */
  const open = counter()
  const styles = counter()
  const headings: number[] = []
  const lists: { ordered: boolean; count: number }[] = []
  let runs: Run[] = []
  /** Pieces of the current text. Entities split a text. */
  let pieces: string[] = []
  let marker: string | undefined
  let row: Run[][] | undefined

  /** Ends the current run. */
  function endRun() {
    if (!pieces.length) return
    const run: Run = { text: pieces.join('') }
    for (const style of styles.names()) run[style as Exclude<keyof Run, 'text'>] = true
    runs.push(run)
    pieces = []
  }

  /** Ends the current block. */
  function end() {
    endRun()
    const text = trimmed(runs)
    runs = []
    if (!text.length) return
    if (row) {
      const cell = row.at(-1) // text between cells is dropped
      if (cell?.length) cell.push({ text: '\n' })
      if (cell) for (const run of text) cell.push(run)
      return
    }
    if (headings[0]) blocks.push({ kind: 'heading', level: headings[0], runs: text })
    else if (lists.length) blocks.push({ kind: 'item', level: lists.length, marker: marker ?? '', runs: text })
    else blocks.push({ kind: open.has('blockquote') ? 'quote' : 'paragraph', level: 1, runs: text })
    marker = undefined
  }

  const parser = new (htmlparser2().Parser)(
    {
      onopentag(tag) {
        endRun()
        if (tag === 'br') return runs.push({ text: '\n' })
        if (BREAKS.has(tag) || HEADINGS[tag] || tag === 'hr') end()
        if (tag === 'hr') return blocks.push({ kind: 'rule' })
        open.add(tag)
        if (STYLES[tag]) styles.add(STYLES[tag])
        if (HEADINGS[tag]) headings.push(HEADINGS[tag])
        if (tag === 'ul' || tag === 'ol') lists.push({ ordered: tag === 'ol', count: 0 })
        const list = lists.at(-1)
        if (tag === 'li' && list) marker = list.ordered ? `${++list.count}.` : '•'
        if (tag === 'tr') row = []
        if (tag === 'td' || tag === 'th') row?.push([])
      },
      ontext: (text) => void pieces.push(open.has('pre') ? text : text.replace(/\s+/g, ' ')),
      onclosetag(tag) {
        if (tag === 'br' || tag === 'hr') return
        endRun()
        if (BREAKS.has(tag) || HEADINGS[tag]) end()
        if (tag === 'ul' || tag === 'ol') lists.pop()
        if (tag === 'tr' && row) {
          if (row.length) blocks.push({ kind: 'row', head: open.has('thead'), cells: row })
          row = undefined
        }
        open.remove(tag)
        if (STYLES[tag]) styles.remove(STYLES[tag])
        if (HEADINGS[tag]) headings.pop()
      },
    },
    depthLimited(),
  )
  parser.end(html)
  end()
  return blocks
}

/** Multiset of names. */
function counter() {
  const counts = new Map<string, number>()
  return {
    has: (name: string) => counts.has(name),
    names: () => counts.keys(),
    add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    remove(name: string) {
      const count = counts.get(name) ?? 0
      if (count > 1) counts.set(name, count - 1)
      else counts.delete(name)
    },
  }
}

/** Removes empty runs, and spaces and line breaks at both ends. */
function trimmed(all: Run[]): Run[] {
  const kept = all.filter(({ text }) => text !== '')
  if (kept[0]) kept[0] = { ...kept[0], text: kept[0].text.replace(/^[ \n]+/, '') }
  const last = kept.at(-1)
  if (last) kept[kept.length - 1] = { ...last, text: withoutEnd(last.text) }
  return kept.filter(({ text }) => text !== '')
}

/** Removes trailing spaces and line breaks. `/[ \n]+$/` would restart at each space of a text. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\n')) end--
  return text.slice(0, end)
}

const textOf = (runs: Run[]) => runs.map(({ text }) => text).join('')

/** Returns the text without markup, one line per block. On the event loop for at most `MAX_ON_LOOP` characters. */
export const plainOf = (html: string): string =>
  blocksOf(html)
    .map((block) => {
      if (block.kind === 'rule') return ''
      if (block.kind === 'row') return block.cells.map(textOf).join(' | ')
      return block.kind === 'item' ? `${block.marker} ${textOf(block.runs)}` : textOf(block.runs)
    })
    .join('\n')
    .trim()
