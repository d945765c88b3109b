/**
 * The part of Squire's types that we use: its own name their files in a way that Node's resolution rejects. Members with `_` are
 * private; test/browser/inbox.ci.test.ts checks them.
 */
declare module 'squire-rte' {
  type Key = (editor: Squire, event: KeyboardEvent) => void

  export default class Squire {
    constructor(
      root: HTMLElement,
      config: {
        undo: { documentSizeThreshold: number; undoLimit: number }
        didError: (error: unknown) => void
        sanitizeToDOMFragment: (html: string, editor: Squire) => DocumentFragment
      },
    )
    destroy(): void
    focus(): this
    addEventListener(type: string, listener: () => void): this
    setKeyHandler(key: string, act: Key): this
    getRoot(): HTMLElement
    getHTML(): string
    setHTML(html: string): this
    insertHTML(html: string, isPaste?: boolean): this
    getPath(): string
    getSelection(): Range
    setSelection(range: Range): this
    moveCursorToStart(): this
    saveUndoState(): this
    hasFormat(tag: string): boolean
    changeFormat(add: { tag: string } | null, remove?: { tag: string } | null): this
    makeLink(address: string): this
    removeLink(): this
    makeUnorderedList(): this
    makeOrderedList(): this
    removeList(): this
    increaseQuoteLevel(): this
    decreaseQuoteLevel(): this
    removeAllFormatting(): this
    createDefaultBlock(): HTMLElement
    _setRawHTML(html: string): this
    _ignoreChange: boolean
    _imageResizer: { destroy(): void }
  }
}
