/** The text of a PDF that anybody may have made: run in a child process (`documents.ts`). */
import { getDocumentProxy } from 'unpdf'

/** Pages and characters that are read; what is behind them is left out, and said to be. */
const MAX_PAGES = 300
const MAX_CHARACTERS = 2_000_000

export interface PdfText {
  /** Of the whole file. */
  pages: number
  /** What stands on each page that was read. */
  texts: string[]
}

/** What stands on the pages of a PDF, line by line. Throws where it is none, or can't be opened without a password. */
export async function textOfPdf(bytes: Uint8Array): Promise<PdfText> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes))
  const texts: string[] = []
  let characters = 0
  for (let n = 1; n <= Math.min(pdf.numPages, MAX_PAGES) && characters < MAX_CHARACTERS; n++) {
    const page = await pdf.getPage(n)
    const { items } = await page.getTextContent()
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    texts.push(text.slice(0, MAX_CHARACTERS - characters))
    characters += text.length
    page.cleanup()
  }
  return { pages: pdf.numPages, texts }
}
