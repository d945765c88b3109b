/** Storage accounting for other modules. */
export { countStorage } from './usage.ts'
