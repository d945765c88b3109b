/** Functions about companies for other modules. */
export { companyNamed } from './matching.ts'
