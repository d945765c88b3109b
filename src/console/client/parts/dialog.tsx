import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** Modal dialog: the browser traps the focus, and restores it on closing. */
export function Dialog({
  title,
  hideTitle,
  close,
  kind = '',
  children,
}: {
  title: string
  hideTitle?: boolean
  close: () => void
  kind?: string
  children: ComponentChildren
}) {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  // A layout effect, so that keys typed at once go to the dialog.
  useLayoutEffect(() => {
    const dialog = box.current!
    const before = document.activeElement as HTMLElement | null
    dialog.showModal()
    return () => {
      dialog.close() // elements behind an open dialog can't take the focus
      before?.focus()
    }
  }, [])
  return (
    <dialog
      ref={box}
      class={kind}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => event.target === box.current && close()}
      onKeyDown={() => {}}
    >
      <h2 id={id} class={hideTitle ? 'unseen' : 'dialog-title'}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}
