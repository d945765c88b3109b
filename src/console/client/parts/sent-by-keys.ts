/** Sends the form that somebody is in by Ctrl or Cmd with Enter, or with S as elsewhere: also from a text of several lines. */
export function sentByKeys(event: KeyboardEvent & { currentTarget: HTMLFormElement }) {
  if (event.defaultPrevented || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return
  if (event.key !== 'Enter' && event.key.toLowerCase() !== 's') return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}

/** For its button. */
export const SENDING_KEYS = 'Control+Enter Control+S Meta+Enter Meta+S'
