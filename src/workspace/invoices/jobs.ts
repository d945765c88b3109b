import { findDue, issueDue } from './issuing.ts'

export default [findDue, issueDue]
