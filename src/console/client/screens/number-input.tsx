/** Number input in the notation of the user's language. */
import type { InputHTMLAttributes } from 'preact'
import { useRef } from 'preact/hooks'
import { readNumber, writeNumber } from './numbers.ts'
import { decimalSign } from './values.tsx'

type Props = InputHTMLAttributes<HTMLInputElement> & {
  /** Value in the form. */
  held: unknown
  /** Receives the input in the API's format; an invalid number unchanged, so that the API reports the error. */
  set: (held: string) => void
}

/** Shows the value, or the input as typed while it equals the value. */
export function NumberInput({ held, set, ...input }: Props) {
  const typed = useRef({ text: '', held: '' })
  const text = held === typed.current.held ? typed.current.text : writeNumber(held ?? '', decimalSign)
  return (
    <input
      {...input}
      inputMode="decimal"
      autocomplete="off"
      value={text}
      onInput={({ currentTarget: { value: text } }) => {
        typed.current = { text, held: readNumber(text, decimalSign) ?? text }
        set(typed.current.held)
      }}
    />
  )
}
