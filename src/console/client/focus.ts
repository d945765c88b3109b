/**
 * Preserves keyboard focus: when the focused element is removed (button of a finished action, deleted row, faded toast), the
 * screen's heading takes the focus.
 */
let last: Element | undefined

addEventListener('focusin', ({ target }) => (last = target as Element))
addEventListener('focusout', ({ target }) => {
  // The user left it, for example by a click elsewhere. An element being removed is still connected during the event.
  setTimeout(() => {
    if (last === target && (target as Element).isConnected) last = undefined
  })
})
new MutationObserver(() => {
  if (!last || last.isConnected || document.activeElement !== document.body) return
  last = undefined
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}).observe(document.body, { childList: true, subtree: true })
