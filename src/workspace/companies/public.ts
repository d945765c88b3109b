/** What other modules may ask of companies. */
export { companyNamed } from './matching.ts'
