/** Formatted text on paper: it travels to the printer's process as HTML, which makes blocks of it there. */
import { type Block, blocksOf } from '../values/html.ts'

interface FormattedText {
  formatted_html: string
}

/** What a template is given as a list of blocks (values/html.ts). */
export const formattedText = (html: string): FormattedText => ({ formatted_html: html })

/** The blocks of a value that `formattedText` made; any other value as it is. */
export function withBlocks(value: unknown): unknown | Block[] {
  const { formatted_html: html, ...others } = (value ?? {}) as Partial<FormattedText>
  return typeof html === 'string' && !Object.keys(others).length ? blocksOf(html) : value
}
