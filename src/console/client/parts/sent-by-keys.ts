/** Submits the current form by Ctrl or Cmd with Enter or S, also from a multi-line text. */
export function sendByKeys(event: KeyboardEvent) {
  if (event.defaultPrevented || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return
  if (event.key !== 'Enter' && event.key.toLowerCase() !== 's') return
  // A dialog inside of a form doesn't belong to it; search forms submit nothing.
  const form = event.target instanceof Element ? event.target.closest('form, dialog') : null
  if (!(form instanceof HTMLFormElement) || form.closest('search')) return
  event.preventDefault()
  if (event.repeat) return
  settleField()
  form.requestSubmit()
}

/** Blurs and refocuses the current field: some inputs take their value only on blur, which a key doesn't cause. */
export function settleField() {
  const field = document.activeElement
  if (!(field instanceof HTMLInputElement)) return
  field.blur()
  field.focus({ preventScroll: true })
}

/** For `aria-keyshortcuts` of the submit button. */
export const SENDING_KEYS = 'Control+Enter Control+S Meta+Enter Meta+S'
