/** Formatted text in PDFs. It is sent to the renderer's process as HTML and converted to blocks there. */
import { type Block, blocksOf } from '../values/html.ts'

interface FormattedText {
  formatted_html: string
}

/** Wraps HTML, which templates receive as a list of blocks (values/html.ts). */
export const formattedText = (html: string): FormattedText => ({ formatted_html: html })

/** Returns the blocks of a value made by `formattedText`; any other value unchanged. */
export function withBlocks(value: unknown): unknown | Block[] {
  const { formatted_html: html, ...others } = (value ?? {}) as Partial<FormattedText>
  return typeof html === 'string' && !Object.keys(others).length ? blocksOf(html) : value
}
