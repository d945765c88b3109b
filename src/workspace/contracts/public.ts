/** What other modules may ask of contracts. */
export { acceptableContract } from './moving.ts'
