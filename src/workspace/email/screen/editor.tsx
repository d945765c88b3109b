/** Editor for formatted mails, with its toolbar. A separate script, loaded when somebody writes. */
import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import Squire from 'squire-rte'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { TextField, type Tied } from '#console/client/parts/field.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { CONTROL, isMac, SHIFT } from '#console/client/parts/key-names.ts'
import { tell } from '#console/client/parts/toasts.tsx'
import { isPlain, linkOf, type Origin, readHtml, textIn } from './letter-html.ts'
import { Sign, type SignName } from './parts.tsx'
import { t } from './texts.ts'

/** Changes that the form makes to the text. */
export interface Writer {
  focus(): void
  /** Inserts HTML before the whole text. */
  begin(html: string): void
  /** Index of the signature that the text contains; -1 if none. */
  signed(signatures: string[]): number
  /** Replaces the signature in the text. `isAsked`: at the user's request. */
  sign(signature: string | undefined, known: string[], isAsked: boolean): void
}

export interface Written {
  /** null if the plain text is complete. */
  html: string | null
  text: string
}

interface Props {
  tied: Tied
  label: string
  /** Initial content. */
  html: string
  /** First line of a forwarded message. */
  forwarded: string
  /** `isTouched`: changed by the user. */
  change: (written: Written, isTouched: boolean) => void
  /** Called once the editor can be used. */
  ready: (writer: Writer) => void
  /** Called if the editor can't hold the whole text. */
  refuse: () => void
}

/** Squire, fed with elements instead of HTML strings that the browser would have to parse. */
class Editing extends Squire {
  origin: Origin = 'kept'

  override insertHTML(html: string, isPaste?: boolean) {
    this.origin = isPaste ? 'pasted' : 'kept'
    try {
      return super.insertHTML(html, isPaste)
    } finally {
      this.origin = 'kept'
    }
  }

  /** Restores the content on undo: the only place where Squire gives the browser a string. */
  override _setRawHTML(html: string) {
    const { fragment } = readHtml(html, 'undone')
    const root = this.getRoot()
    root.replaceChildren(fragment)
    if (!root.firstElementChild) root.append(this.createDefaultBlock())
    this._ignoreChange = true
    return this
  }
}

/** Limits of the undo history. */
const UNDO = { documentSizeThreshold: 0, undoLimit: 100 }

function start(root: HTMLElement, html: string): { editor: Editing; isCut: boolean } {
  let isWhole = true
  let begins = true
  const editor = new Editing(root, {
    undo: UNDO,
    didError: (error) => console.error(error),
    sanitizeToDOMFragment: (given, self) => {
      const { fragment, isCut } = readHtml(given, (self as Editing).origin ?? 'kept', begins ? undefined : root)
      if (isCut && begins) isWhole = false
      else if (isCut) tell(t('pastedCut'))
      return fragment
    },
  })
  // Images can't be resized here.
  editor._imageResizer.destroy()
  editor.setHTML(html)
  begins = false
  for (const key of ['Tab', 'Shift-Tab']) editor.setKeyHandler(key, () => {}) // Tab always leaves the editor
  return { editor, isCut: !isWhole }
}

const FORMATS = { B: 'bold', I: 'italic', U: 'underline' } as const
type Format = keyof typeof FORMATS

interface Tool {
  says: Parameters<typeof t>[0]
  sign: SignName
  key?: string
  isOn: boolean
  act: () => void
}

export default function Editor({ tied, label, html, forwarded, change, ready, refuse }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const held = useRef<Editing | undefined>(undefined)
  const tell = useRef(change)
  tell.current = change
  /** Names of the elements at the selection. */
  const path = useSignal('')
  const formats = useSignal<Format[]>([])
  const link = useSignal<{ address: string; error?: string; isOld: boolean } | undefined>(undefined)
  const at = useSignal(0)
  const id = useId()

  useEffect(() => {
    const root = box.current!
    const { editor, isCut } = start(root, html)
    if (isCut) {
      editor.destroy()
      return refuse()
    }
    held.current = editor
    const look = () => {
      path.value = editor.getPath()
      formats.value = (Object.keys(FORMATS) as Format[]).filter((tag) => editor.hasFormat(tag))
    }
    for (const event of ['pathChange', 'select', 'cursor', 'undoStateChange']) editor.addEventListener(event, look)
    const written = (isTouched: boolean) =>
      tell.current({ html: isPlain(root) ? null : editor.getHTML(), text: textIn(root) }, isTouched)
    editor.addEventListener('input', () => {
      look()
      written(true)
    })
    editor.setKeyHandler(`${HELD}-k`, (_, event) => {
      event.preventDefault()
      event.stopPropagation() // elsewhere it opens the command palette
      askLink()
    })
    // Squire's own keys for quotes are brackets, which many keyboards only have with modifiers.
    editor.setKeyHandler(`${HELD}-Shift-1`, (self, event) => {
      event.preventDefault()
      quote(self as Editing)
    })
    ready(writerOf(editor, forwarded, written))
    return () => editor.destroy()
  }, [])

  const askLink = () => {
    const editor = held.current!
    const range = editor.getSelection()
    const near = range.commonAncestorContainer
    const old = (near instanceof Element ? near : near.parentElement)?.closest('a')
    const inside = old && box.current!.contains(old) ? old : null
    if (inside) {
      const whole = document.createRange()
      whole.selectNodeContents(inside)
      editor.setSelection(whole)
    }
    link.value = { address: inside?.getAttribute('href') ?? '', isOld: Boolean(inside) }
  }
  const setLink = (address: string | undefined) => {
    const editor = held.current!
    const found = address === undefined ? undefined : linkOf(complete(address))
    if (address !== undefined && !found) {
      link.value = { ...link.value!, address, error: t('noAddress') }
      return
    }
    link.value = undefined
    setTimeout(() => {
      editor.focus()
      if (!found) return editor.removeLink()
      editor.makeLink(found)
      // Text that is typed next goes after the link.
      const range = editor.getSelection()
      const { endContainer: end } = range
      const made = (end instanceof Element ? end : end.parentElement)?.closest('a')
      if (made) range.setEndAfter(made)
      range.collapse(false)
      editor.setSelection(range)
    })
  }
  const isIn = (tag: string) => new RegExp(`(^|>)${tag}\\b`).test(path.value)
  const run = (act: (editor: Editing) => void) => () => {
    const editor = held.current!
    editor.focus()
    act(editor)
  }
  const format = (tag: Format): Tool => ({
    says: FORMATS[tag],
    sign: FORMATS[tag],
    key: tag,
    isOn: formats.value.includes(tag),
    act: run((editor) => {
      if (editor.hasFormat(tag)) editor.changeFormat(null, { tag })
      else editor.changeFormat({ tag })
    }),
  })
  const list = (tag: 'UL' | 'OL'): Tool => ({
    says: tag === 'UL' ? 'bullets' : 'numbers',
    sign: tag === 'UL' ? 'bullets' : 'numbers',
    key: tag === 'UL' ? `${SHIFT}+8` : `${SHIFT}+9`,
    isOn: isIn(tag),
    act: run((editor) => {
      if (isIn(tag)) editor.removeList()
      else if (tag === 'UL') editor.makeUnorderedList()
      else editor.makeOrderedList()
    }),
  })
  const tools: Tool[] = [
    format('B'),
    format('I'),
    format('U'),
    { says: 'linkTo', sign: 'chain', key: 'K', isOn: isIn('A'), act: askLink },
    list('UL'),
    list('OL'),
    {
      says: 'quote',
      sign: 'quote',
      key: `${SHIFT}+1`,
      isOn: isIn('BLOCKQUOTE'),
      act: run(quote),
    },
    { says: 'unformat', sign: 'unformat', isOn: false, act: run((editor) => editor.removeAllFormatting()) },
  ]
  const walk = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, Home: -tools.length, End: tools.length }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const way = getComputedStyle(event.currentTarget as Element).direction === 'rtl' && Math.abs(by) === 1 ? -by : by
    at.value = Math.min(Math.max(at.value + way, 0), tools.length - 1)
    ;(event.currentTarget as Element).querySelectorAll('button')[at.value]?.focus()
  }
  return (
    <>
      <div
        class="email-formats"
        role="toolbar"
        aria-label={t('formatting')}
        aria-controls={tied.id}
        onKeyDown={walk}
        tabIndex={-1}
      >
        {tools.map(({ says, sign, key, isOn, act }, n) => (
          <button
            key={says}
            type="button"
            class="plain only-icon"
            aria-label={t(says)}
            aria-pressed={says === 'unformat' || says === 'linkTo' ? undefined : isOn}
            title={key ? `${t(says)} (${CONTROL}+${key})` : t(says)}
            tabIndex={n === at.value ? 0 : -1}
            onFocus={() => (at.value = n)}
            onClick={act}
          >
            <Sign name={sign} />
          </button>
        ))}
      </div>
      <div
        {...tied}
        ref={box}
        class="email-body"
        role="textbox"
        tabIndex={0}
        aria-multiline="true"
        aria-label={label}
        dir="auto"
      />
      {link.value && (
        <Dialog title={t('linkTo')} close={() => (link.value = undefined)}>
          <form
            class="dialog-body"
            aria-labelledby={`${id}-link`}
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              event.stopPropagation()
              setLink(link.value!.address)
            }}
          >
            <TextField
              label={t('address')}
              inputMode="url"
              autocomplete="off"
              maxLength={2000}
              value={link.value.address}
              errors={link.value.error ? [link.value.error] : undefined}
              onInput={(event: { currentTarget: HTMLInputElement }) =>
                (link.value = { ...link.value!, address: event.currentTarget.value })
              }
            />
            <div class="dialog-foot">
              {link.value.isOld && (
                <button type="button" onClick={() => setLink(undefined)}>
                  <Icon name="trash" />
                  {t('unlinkText')}
                </button>
              )}
              <button type="button" onClick={() => (link.value = undefined)}>
                {t('cancel')}
              </button>
              <button type="submit" class="primary">
                {t('setLink')}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}

/** Squire's name of the modifier key. */
const HELD = isMac ? 'Meta' : 'Ctrl'

const quote = (editor: Editing) =>
  /(^|>)BLOCKQUOTE\b/.test(editor.getPath()) ? editor.decreaseQuoteLevel() : editor.increaseQuoteLevel()

/** Completes an address as users type it: `example.test`, `ann@example.test`. */
function complete(address: string): string {
  const text = address.trim()
  if (/^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text)) return text
  return /^[^\s@/]+@[^\s@/]+$/.test(text) ? `mailto:${text}` : /^[^\s/]+\.[^\s]+$/.test(text) ? `https://${text}` : text
}

function writerOf(editor: Editing, forwarded: string, written: (isTouched: boolean) => void): Writer {
  const root = editor.getRoot()
  const made = (signature: string) => {
    const box = document.createElement('div')
    const mark = document.createElement('div')
    mark.textContent = '--\u00a0' // HTML drops a space at the end of a line
    box.append(mark, readHtml(signature, 'kept').fragment)
    return box
  }
  const squashed = ({ textContent }: Node) => (textContent ?? '').replace(/[\s\u200b]+/g, '')
  const find = (signature: string) => {
    const said = squashed(made(signature))
    return [...root.children].find((one) => squashed(one) === said)
  }
  /** Returns the element at which the quoted text begins. */
  const quoted = () => {
    const all = [...root.children]
    const n = all.findIndex(({ localName, textContent }, at) => (localName === 'blockquote' && at) || textContent === forwarded)
    if (n < 0) return null
    const first = all[n]!.localName === 'blockquote' ? n - 1 : n
    return (first > 1 && !squashed(all[first - 1]!) ? all[first - 1] : all[first]) ?? null
  }
  return {
    focus() {
      editor.focus()
      editor.moveCursorToStart()
    },
    begin(html) {
      editor.moveCursorToStart()
      editor.insertHTML(html)
    },
    signed: (signatures) => signatures.findIndex((one) => find(one)),
    sign(signature, known, isAsked) {
      if (isAsked) editor.saveUndoState()
      const before = known.map(find).find((one) => one)
      const box = signature === undefined ? undefined : made(signature)
      if (before && box) before.replaceWith(box)
      else if (before) before.remove()
      else if (box) {
        const place = quoted()
        root.insertBefore(editor.createDefaultBlock(), place)
        root.insertBefore(box, place)
      }
      editor._ignoreChange = true // reported by the next line
      written(isAsked)
    },
  }
}
