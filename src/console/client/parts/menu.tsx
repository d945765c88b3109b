/** Menu button: arrow keys move, letters find an item, Escape restores the focus. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  label: ComponentChildren
  /** Accessible name, where the label is an icon. */
  name?: string
  kind?: string
  place?: string
  /** A function where there are many menus: called when a menu opens. */
  children: ComponentChildren | (() => ComponentChildren)
}

/** Minimum distance of a list to the window's edges. */
const EDGE = 8
const GAP = 4
/** Minimum height of a list where space is scarce. */
const LEAST = 96

/**
 * Moves an overflowing list into the window: sideways, above its button where there is more space, or else reduced to the
 * available height.
 */
function keepInside(list: HTMLElement, button: HTMLElement) {
  const { clientWidth: width, clientHeight: height } = document.documentElement
  const { left, right, height: tall } = list.getBoundingClientRect()
  const by = Math.max(EDGE - left, Math.min(0, width - EDGE - right))
  if (by) list.style.translate = `${by}px`
  const { top, bottom } = button.getBoundingClientRect()
  const [above, below] = [top - GAP - EDGE, height - bottom - GAP - EDGE]
  const goesUp = list.classList.contains('up') ? tall <= above || above > below : tall > below && above > below
  list.classList.toggle('up', goesUp)
  if (tall > (goesUp ? above : below)) list.style.maxHeight = `${Math.max(goesUp ? above : below, LEAST)}px`
}

/** Button, and its list of `Item`s while open. */
export function Menu({ label, name, kind = '', place = '', children }: Props) {
  const open = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]
  useLayoutEffect(() => {
    if (open.value) keepInside(list.current!, button.current!)
  }, [open.value])
  useEffect(() => {
    if (!open.value) return
    items()[0]?.focus()
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) open.value = false
    }
    addEventListener('pointerdown', outside)
    return () => removeEventListener('pointerdown', outside)
  }, [open.value])
  const walk = (event: KeyboardEvent) => {
    if (!open.value) return
    const all = items()
    const now = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      all.at(to % all.length)?.focus()
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      open.value = false
      if (event.key === 'Escape') {
        event.stopPropagation()
        button.current?.focus()
      }
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      const letter = event.key.toLowerCase()
      const found = [...all.slice(now + 1), ...all].find((one) => one.textContent!.trim().toLowerCase().startsWith(letter))
      found?.focus()
    }
  }
  return (
    <div class="menu" ref={box} onKeyDown={walk}>
      <button
        ref={button}
        id={`${id}-button`}
        type="button"
        class={kind}
        aria-haspopup="menu"
        aria-expanded={open.value}
        aria-controls={open.value ? id : undefined}
        aria-label={name}
        onClick={() => (open.value = !open.value)}
      >
        {label}
      </button>
      {open.value && (
        <div
          ref={list}
          class={`menu-list ${place}`}
          id={id}
          role="menu"
          aria-labelledby={`${id}-button`}
          tabIndex={-1}
          onClickCapture={(event) => {
            if (chosen(event)) button.current?.focus() // first, because a dialog restores the focus to the element focused now
          }}
          onClick={(event) => {
            if (chosen(event)) open.value = false
          }}
        >
          {typeof children === 'function' ? children() : children}
        </div>
      )}
    </div>
  )
}

/** Returns whether the clicked item acts at once, so that the menu can close. */
const chosen = ({ target }: Event) =>
  (target as Element).closest('[role^=menuitem]:not([aria-disabled=true], [role=menuitemcheckbox])') !== null

/** Menu item. `why`: reason why it is disabled, shown with it. */
export function Item({
  act,
  kind,
  why,
  checked,
  isToggle,
  children,
}: {
  act?: () => void
  kind?: string | undefined
  why?: string | undefined
  checked?: boolean
  /** Checkbox item, which leaves the menu open. */
  isToggle?: boolean
  children: ComponentChildren
}) {
  return (
    <button
      type="button"
      class={kind}
      role={isToggle ? 'menuitemcheckbox' : checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      aria-disabled={why !== undefined}
      tabIndex={-1}
      onClick={() => why === undefined && act?.()}
    >
      {children}
      {checked && <span aria-hidden="true">✓</span>}
      {why && <small>{why}</small>}
    </button>
  )
}
