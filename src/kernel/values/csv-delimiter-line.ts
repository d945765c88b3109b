/**
 * A first line of CSV that names the delimiter, as Excel reads and writes it: `sep=;`. It is no row of the table. Every reader of CSV removes it by this
 * function.
 */
const DELIMITER_LINE = /^"?sep=([^"\w\r\n])"?(?:\r\n|[\r\n])/i

export interface CsvText {
  /** The text after that line. */
  text: string
  /** The delimiter that the line names; undefined without such a line. */
  delimiter: string | undefined
}

/** Separates that line from the text of a CSV file, which begins without a byte order mark. */
export function withoutDelimiterLine(text: string): CsvText {
  const [line = '', delimiter] = DELIMITER_LINE.exec(text) ?? []
  return { text: text.slice(line.length), delimiter }
}
