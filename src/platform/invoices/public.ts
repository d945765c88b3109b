export { workspaceNamed } from './invoices.ts'
