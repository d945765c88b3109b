/** The words that modules print, mail and show to customers, and the languages that customers have. */
export { type Language, languagesInput, languagesShown } from './languages.ts'
export { filled, placeholdersOf } from './shipped.ts'
export type { TextKey } from './texts/en.ts'
export { documentWords, type Say, type Written, wordsOf, writtenFor } from './words.ts'
