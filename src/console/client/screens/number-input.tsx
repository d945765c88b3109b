/** An input of a number, which is typed and shown as the reader's language has it. */
import type { InputHTMLAttributes } from 'preact'
import { useRef } from 'preact/hooks'
import { readNumber, writeNumber } from './numbers.ts'
import { decimalSign } from './values.tsx'

type Props = InputHTMLAttributes<HTMLInputElement> & {
  /** The value that the form holds. */
  held: unknown
  /** Is given what was typed as the API has it; what isn't a number as it is, so that the API says what is wrong. */
  set: (held: string) => void
}

/** Shows the value, and what was typed as it was typed for as long as that is the value. */
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
