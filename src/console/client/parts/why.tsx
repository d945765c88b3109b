/** A button that says why it can't be used, to whoever points at it, comes to it by keys, or has it read. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Props {
  kind?: string
  /** Why not; undefined: it can be used. */
  why: string | undefined
  act: () => void
  children: ComponentChildren
}

/** The second click of a double one is meant for the first button: what stands there by now may be the next step. In milliseconds. */
const DOUBLE_MS = 250
let pressed = 0

export function WhyButton({ kind, why, act, children }: Props) {
  const id = useId()
  const press = ({ detail, timeStamp }: MouseEvent) => {
    const isSecond = detail > 1 && timeStamp - pressed < DOUBLE_MS
    pressed = timeStamp
    if (why === undefined && !isSecond) act()
  }
  return (
    <span class="why">
      <button
        type="button"
        class={why ? undefined : kind}
        aria-disabled={why !== undefined}
        aria-describedby={why ? id : undefined}
        onClick={press}
      >
        {children}
      </button>
      {why && (
        <span class="tip" role="tooltip" id={id}>
          {why}
        </span>
      )}
    </span>
  )
}
