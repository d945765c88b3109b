/** What is fetched by those alone who read German. */
export { de } from './de.ts'
export { labels } from './labels.de.ts'
