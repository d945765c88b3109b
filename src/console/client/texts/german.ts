/** Bundle loaded only by users who read German. */
export { de } from './de.ts'
export { labels } from './labels.de.ts'
