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

export function WhyButton({ kind, why, act, children }: Props) {
  const id = useId()
  return (
    <span class="why">
      <button
        type="button"
        class={why ? undefined : kind}
        aria-disabled={why !== undefined}
        aria-describedby={why ? id : undefined}
        // The second click of a double one is meant for the first button: what stands there by now may be the next step.
        onClick={({ detail }) => why === undefined && detail < 2 && act()}
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
