/** Read-only text for use elsewhere, such as an address for a provider, with a copy button. */
import { useRef } from 'preact/hooks'
import { t } from '../texts/texts.ts'
import { copyText } from './copying.ts'
import { Field } from './field.tsx'
import { tell } from './toasts.tsx'

export function ToCopy({ label, hint, text }: { label: string; hint?: string; text: string }) {
  const input = useRef<HTMLInputElement>(null)
  // Where the browser doesn't allow copying, the text is selected instead.
  const copy = async () => ((await copyText(text)) ? tell(t('copied')) : input.current?.select())
  return (
    <Field label={label} hint={hint}>
      {(tied) => (
        <div class="to-copy">
          <input {...tied} ref={input} readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
          <button type="button" onClick={() => void copy()}>
            {t('copy')}
          </button>
        </div>
      )}
    </Field>
  )
}
