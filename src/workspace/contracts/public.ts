/** Functions about contracts for other modules. */
export { acceptableContract } from './moving.ts'
