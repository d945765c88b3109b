import { findLost, lookAfter } from './online/looking-after.ts'

export default [findLost, lookAfter]
