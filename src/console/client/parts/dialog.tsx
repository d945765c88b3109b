import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** A dialog above the page: the browser keeps the focus inside, and gives it back to where it was. */
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
  // Before the browser hears the next key: what is typed at once belongs to the dialog.
  useLayoutEffect(() => {
    const dialog = box.current!
    const before = document.activeElement as HTMLElement | null
    dialog.showModal()
    return () => {
      dialog.close() // what is behind an open one takes no focus
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
