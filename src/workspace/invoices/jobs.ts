import { findDue, issueDue } from './issuing.ts'
import { remindDaily, remindNext } from './reminders/daily.ts'

export default [findDue, issueDue, remindDaily, remindNext]
