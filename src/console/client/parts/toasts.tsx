/** Toasts at the foot of the page, with an optional action such as undo. */
import { effect, signal } from '@preact/signals'
import { visits } from '../addresses.ts'
import { t } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

interface Act {
  label: string
  run: () => void
  /** Action on the current screen, such as in a form: the toast disappears with that screen. */
  isHere?: true
}

interface Toast {
  id: number
  text: string
  act?: Act | undefined
}

const toasts = signal<Toast[]>([])
let last = 0
/** Long enough to read it and to undo. */
const SHOWN_MS = 8000

const drop = (id: number) => (toasts.value = toasts.value.filter((one) => one.id !== id))

/**
 * Shows a toast. It replaces the former ones, except the latest with an action. `act` is offered next to it, for example undo.
 */
export function tell(text: string, act?: Act) {
  const id = ++last
  toasts.value = [...toasts.value.filter(({ act: offered }) => offered).slice(-1), { id, text, act }]
  setTimeout(() => drop(id), SHOWN_MS)
}

effect(() => {
  if (visits.value) toasts.value = toasts.peek().filter(({ act }) => !act?.isHere)
})

export const Toasts = () => (
  <div class="toasts" role="status">
    {toasts.value.map(({ id, text, act }) => (
      <div class="toast" key={id}>
        <span>{text}</span>
        {act && (
          <button
            class="act"
            type="button"
            onClick={() => {
              drop(id)
              act.run()
            }}
          >
            {act.label}
          </button>
        )}
        <button class="only-icon" type="button" aria-label={t('close')} onClick={() => drop(id)}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </div>
)
