/**
 * Whoever uses the keyboard never falls out of the page: where what had the focus is taken away (a button whose deed is done, a row that is gone,
 * a message that has faded), the screen's heading takes it.
 */
let last: Element | undefined

addEventListener('focusin', ({ target }) => (last = target as Element))
addEventListener('focusout', ({ target }) => {
  // Left on purpose, as by a click beside it; what is being taken away is still in the page when a browser tells of it.
  setTimeout(() => {
    if (last === target && (target as Element).isConnected) last = undefined
  })
})
new MutationObserver(() => {
  if (!last || last.isConnected || document.activeElement !== document.body) return
  last = undefined
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}).observe(document.body, { childList: true, subtree: true })
