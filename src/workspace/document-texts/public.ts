/** Texts for printed documents, mails and pages for customers, and the languages of customers. */
export { type Language, languagesInput, languagesShown } from './languages.ts'
export { filled, placeholdersOf } from './shipped.ts'
export type { TextKey } from './texts/en.ts'
export { documentWords, type Say, type Written, wordsOf, writtenFor } from './words.ts'
