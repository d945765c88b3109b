/** Parses HTML in time linear in its length, however deep its tags are nested. */
import type { ParserOptions, TokenizerCallbacks } from 'htmlparser2'
import { onDemand } from '../on-demand.ts'

/** Maximum nesting of elements. Deeper tags are ignored; their text stays, at this depth. */
export const MAX_DEPTH = 100
/** Maximum attributes of a tag. Further ones are ignored. */
const MAX_ATTRIBUTES = 100

/** Elements whose content isn't markup, so their tags must not be ignored. They don't nest, except in SVG. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'iframe', 'xmp', 'noembed', 'noframes', 'plaintext'])

/** Private members of the parser that are used here. html.test.ts fails if they change. */
interface OpenElements extends TokenizerCallbacks {
  stack: string[]
  startIndex: number
  isVoidElement(name: string): boolean
  readTagName(start: number, end: number): string
}

/**
 * Returns a tokenizer that hides too deeply nested tags from the parser. The parser moves its whole stack of open elements with
 * each tag and searches it with each end tag, which is quadratic in depth.
 */
function depthLimitedTokenizer({ Tokenizer }: typeof import('htmlparser2')) {
  return class extends Tokenizer {
    constructor(options: ConstructorParameters<typeof Tokenizer>[0], callbacks: TokenizerCallbacks) {
      super(options, limited(callbacks as OpenElements))
    }
  }
}

function limited(parser: OpenElements): TokenizerCallbacks {
  /** Whether the tokenizer is in a hidden tag. */
  let isPassing = false
  let attributes = 0
  /** Hidden elements whose end tag is still to come, by name. */
  const passed = new Map<string, number>()

  /** Pending text. It continues until a tag, entity or comment: a lone `<` would otherwise split it. */
  let [textStart, textEnd] = [0, 0]
  const flush = () => {
    if (textEnd > textStart) parser.ontext(textStart, textEnd)
    textStart = textEnd = 0
  }
  const passesAttribute = () => isPassing || attributes > MAX_ATTRIBUTES
  const ended = (end: number) => {
    isPassing = false
    parser.startIndex = end + 1
  }
  return {
    onattribdata: (start, end) => passesAttribute() || parser.onattribdata(start, end),
    onattribentity: (codepoint) => passesAttribute() || parser.onattribentity(codepoint),
    onattribend: (quote, end) => passesAttribute() || parser.onattribend(quote, end),
    onattribname(start, end) {
      attributes++
      if (!passesAttribute()) parser.onattribname(start, end)
    },
    oncdata(start, end, offset) {
      flush()
      parser.oncdata(start, end, offset)
    },
    onclosetag(start, end) {
      flush()
      const name = passed.size ? parser.readTagName(start, end) : ''
      const count = passed.get(name)
      if (count !== undefined) {
        if (count > 1) passed.set(name, count - 1)
        else passed.delete(name)
        return ended(end)
      }
      const depth = parser.stack.length
      parser.onclosetag(start, end)
      if (parser.stack.length < depth) passed.clear() // elements open within it end with it
    },
    oncomment(start, end, offset) {
      flush()
      parser.oncomment(start, end, offset)
    },
    ondeclaration(start, end) {
      flush()
      parser.ondeclaration(start, end)
    },
    onend() {
      flush()
      parser.onend()
    },
    onopentagend: (end) => (isPassing ? ended(end) : parser.onopentagend(end)),
    onopentagname(start, end) {
      flush()
      attributes = 0
      if (parser.stack.length >= MAX_DEPTH) {
        const name = parser.readTagName(start, end)
        const isTold = parser.isVoidElement(name) || (RAW_TEXT.has(name) && parser.stack.length === MAX_DEPTH)
        if (!isTold) {
          isPassing = true
          passed.set(name, (passed.get(name) ?? 0) + 1)
          return
        }
      }
      parser.onopentagname(start, end)
    },
    onprocessinginstruction(start, end) {
      flush()
      parser.onprocessinginstruction(start, end)
    },
    onselfclosingtag: (end) => (isPassing ? ended(end) : parser.onselfclosingtag(end)),
    ontext(start, end) {
      if (start !== textEnd || textStart === textEnd) {
        flush()
        textStart = start
      }
      textEnd = end
    },
    ontextentity(codepoint, end) {
      flush()
      parser.ontextentity(codepoint, end)
    },
    isInForeignContext: () => parser.isInForeignContext?.() ?? false,
  }
}

/** Parser options for `htmlparser2` and `sanitize-html`. */
export const depthLimited = (): ParserOptions =>
  (options ??= { decodeEntities: true, Tokenizer: depthLimitedTokenizer(htmlparser2()) })
let options: ParserOptions | undefined

/** Loads htmlparser2 on first use. */
export const htmlparser2 = onDemand<typeof import('htmlparser2')>('htmlparser2')
