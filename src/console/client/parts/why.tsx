/** Button that shows why it is disabled, on hover, on keyboard focus and to screen readers. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Props {
  kind?: string
  /** Reason; undefined: it is enabled. */
  why: string | undefined
  act: () => void
  children: ComponentChildren
}

/** Milliseconds in which the second click of a double click is ignored: by then another button may be in its place. */
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
