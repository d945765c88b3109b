/** Days as people and spreadsheets write them, in the form that the API takes. */

/** `3.12.2026`, with or without a time behind it, with the year first: days with points begin with the day everywhere. Anything else as it is. */
export const dayWritten = (text: string): string =>
  text.replace(
    /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?=$|[ T])/,
    (_, day: string, month: string, year: string) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
  )
