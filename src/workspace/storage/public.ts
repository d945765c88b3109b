/** How other modules count what they store. */
export { countStorage } from './usage.ts'
