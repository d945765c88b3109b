/** Dialog for secrets that the API returns only once, such as a key's: shown until dismissed and stored nowhere. */

import { signal } from '@preact/signals'
import { named, worded } from '../texts/labels.ts'
import { t } from '../texts/texts.ts'
import { copyText } from './copying.ts'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { tell } from './toasts.tsx'

const NAMES = ['key', 'api_key', 'secret', 'signing_secret', 'url', 'invite_url']
const shown = signal<[name: string, value: string][]>([])

/** Shows one-time secrets of a reply; fields in `known` can be read again and are ignored. */
export function showOnce(data: unknown, known: { name: string }[]) {
  const again = new Set(known.map(({ name }) => name))
  const fields = Object.entries((data ?? {}) as Record<string, unknown>)
  shown.value = fields.flatMap(([name, value]) =>
    NAMES.includes(name) && !again.has(name) && typeof value === 'string' && value ? [[name, value]] : [],
  )
}

export function Once() {
  const close = () => void (shown.value = [])
  if (!shown.value.length) return null
  return (
    <Dialog title={t('onceTitle')} close={close}>
      <div class="dialog-body">
        <p class="quiet">{t('onceSays')}</p>
        {shown.value.map(([name, value]) => (
          <TextField
            key={name}
            label={named(worded(name))}
            value={value}
            readOnly
            onFocus={(event: { currentTarget: HTMLInputElement }) => event.currentTarget.select()}
          />
        ))}
        <div class="dialog-foot">
          <button
            type="button"
            onClick={() => void copyText(shown.value[0]![1]).then((isCopied) => isCopied && tell(t('copied')))}
          >
            {t('copy')}
          </button>
          <button type="button" class="primary" onClick={close}>
            {t('close')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
