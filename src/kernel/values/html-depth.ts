/** Reading HTML in time that is linear in its length, however deep its tags are nested. */
import type { ParserOptions, TokenizerCallbacks } from 'htmlparser2'
import { onDemand } from '../on-demand.ts'

/** Elements within each other that are read as such. A tag below that is as if it weren't there: its text stays, at this depth. */
export const MAX_DEPTH = 100
/** Of one tag. More are as if they weren't there. */
const MAX_ATTRIBUTES = 100

/** Their content is no markup, so it must not be read as if their tag weren't there. They don't nest, but for SVG's. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'iframe', 'xmp', 'noembed', 'noframes', 'plaintext'])

/** What is needed of a parser, whose types keep it to itself. html.test.ts fails where it is called otherwise. */
interface OpenElements extends TokenizerCallbacks {
  stack: string[]
  startIndex: number
  isVoidElement(name: string): boolean
  readTagName(start: number, end: number): string
}

/**
 * A parser moves its whole stack of open elements with each tag and searches it with each end tag, which is quadratic in depth. This
 * stands between its tokenizer and the parser, and keeps from it what is nested too deep.
 */
function depthLimitedTokenizer({ Tokenizer }: typeof import('htmlparser2')) {
  return class extends Tokenizer {
    constructor(options: ConstructorParameters<typeof Tokenizer>[0], callbacks: TokenizerCallbacks) {
      super(options, limited(callbacks as OpenElements))
    }
  }
}

function limited(parser: OpenElements): TokenizerCallbacks {
  /** Within a tag that isn't told. */
  let isPassing = false
  let attributes = 0
  /** Elements that weren't told and whose end is still to come, by name. */
  const passed = new Map<string, number>()

  /** Text that goes on as long as no tag, entity or comment follows: a lone `<` would begin another piece of it. */
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
      if (parser.stack.length < depth) passed.clear() // whatever was open in it ends with it
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

/** For parsers of `htmlparser2`, and those of `sanitize-html`. */
export const depthLimited = (): ParserOptions =>
  (options ??= { decodeEntities: true, Tokenizer: depthLimitedTokenizer(htmlparser2()) })
let options: ParserOptions | undefined

export const htmlparser2 = onDemand<typeof import('htmlparser2')>('htmlparser2')
