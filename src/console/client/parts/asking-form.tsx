import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../api.ts'

export interface Failure {
  message: string
  fields: Record<string, readonly string[]>
}
export const failureOf = (error: unknown): Failure =>
  error instanceof ApiError
    ? { message: Object.keys(error.fields).length ? '' : error.message, fields: error.fields }
    : { message: error instanceof Error ? error.message : String(error), fields: {} }

/** Shared behaviour of forms: one submission at a time, field errors, and focus on the first invalid field. */
export function useAsking() {
  const failure = useSignal<Failure>({ message: '', fields: {} })
  const waits = useSignal(false)
  const ask = (work: (form: HTMLFormElement) => Promise<void>) => async (event: Event) => {
    event.preventDefault()
    if (waits.value) return
    const form = event.currentTarget as HTMLFormElement
    waits.value = true
    try {
      failure.value = { message: '', fields: {} }
      await work(form)
    } catch (error) {
      failure.value = failureOf(error)
      setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus())
    } finally {
      waits.value = false
    }
  }
  return { failure, waits, ask }
}

/** Small form with field errors that prevents a second submission while the first is pending. */
export function AskingForm({
  button,
  kind = 'primary wide',
  send,
  children,
}: {
  button: string
  kind?: string
  send: (values: Record<string, string>) => Promise<void>
  children: (errors: Failure['fields']) => ComponentChildren
}) {
  const { failure, waits, ask } = useAsking()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current!.querySelector<HTMLElement>('[autofocus]')?.focus(), [])
  const submit = ask((asked) => send(Object.fromEntries([...new FormData(asked)].map(([name, value]) => [name, String(value)]))))
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <div role="alert">{failure.value.message && <p class="notice bad">{failure.value.message}</p>}</div>
      {children(failure.value.fields)}
      <button class={kind} type="submit" aria-disabled={waits.value}>
        {button}
      </button>
    </form>
  )
}
