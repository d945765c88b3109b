import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

interface Frame {
  label: string
  hint?: string | undefined
  errors?: readonly string[] | undefined
  required?: boolean | undefined
}

/** Attributes that connect a control with its label, hint and errors. */
export interface Tied {
  id: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: true | undefined
  'aria-required'?: true | undefined
}

/** Labelled control with its errors below, which screen readers announce with it. */
export function Field({ label, hint, errors, required, children }: Frame & { children: (tied: Tied) => ComponentChildren }) {
  const id = useId()
  const described = [hint && `${id}-hint`, errors?.length && `${id}-errors`].filter(Boolean).join(' ')
  const tied: Tied = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': errors?.length ? true : undefined,
    'aria-required': required || undefined,
  }
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required && (
          <span class="needed" aria-hidden="true">
            {' '}
            *
          </span>
        )}
      </label>
      {children(tied)}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {errors?.length ? (
        <p class="error" id={`${id}-errors`}>
          {errors.join(' ')}
        </p>
      ) : null}
    </div>
  )
}

export function TextField({ label, hint, errors, ...input }: Frame & InputHTMLAttributes<HTMLInputElement>) {
  const { required, ...rest } = input
  return (
    <Field label={label} hint={hint} errors={errors} required={required as boolean | undefined}>
      {(tied) => <input {...rest} {...tied} />}
    </Field>
  )
}

interface CheckProps {
  label: string
  name?: string
  checked?: boolean
  onChange?: (checked: boolean) => void
}

export function Check({ label, name, checked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" name={name} checked={checked} onChange={(event) => onChange?.(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}
