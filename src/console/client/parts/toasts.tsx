/** What was done, said at the foot of the page, with a way back where there is one. */
import { signal } from '@preact/signals'
import { t } from '../texts/texts.ts'
import { Icon } from './icon.tsx'

interface Toast {
  id: number
  text: string
  act?: { label: string; run: () => void } | undefined
}

const toasts = signal<Toast[]>([])
let last = 0
/** Long enough to be read and to be taken back. */
const SHOWN_MS = 8000

const drop = (id: number) => (toasts.value = toasts.value.filter((one) => one.id !== id))

/** Tells something that happened, in place of what was told before, unless that can still be taken back. `act` is offered beside it, as undoing is. */
export function tell(text: string, act?: Toast['act']) {
  const id = ++last
  toasts.value = [...toasts.value.filter(({ act: offered }) => offered).slice(-1), { id, text, act }]
  setTimeout(() => drop(id), SHOWN_MS)
}

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
