/** Sends the form that somebody is in by Ctrl or Cmd with Enter, or with S as elsewhere: also from a text of several lines. */
export function sendByKeys(event: KeyboardEvent) {
  if (event.defaultPrevented || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return
  if (event.key !== 'Enter' && event.key.toLowerCase() !== 's') return
  // A dialog that stands in a form and has none is no part of it; what only searches has nothing to send.
  const form = event.target instanceof Element ? event.target.closest('form, dialog') : null
  if (!(form instanceof HTMLFormElement) || form.closest('search')) return
  event.preventDefault()
  if (event.repeat) return
  settleField()
  form.requestSubmit()
}

/** What is typed in some fields counts once they are left, which a key doesn't do. */
export function settleField() {
  const field = document.activeElement
  if (!(field instanceof HTMLInputElement)) return
  field.blur()
  field.focus({ preventScroll: true })
}

/** For its button. */
export const SENDING_KEYS = 'Control+Enter Control+S Meta+Enter Meta+S'
