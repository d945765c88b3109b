import { on } from '#kernel/modules/events.ts'
import { forgetRecord } from './sweeping.ts'

export default [on('record.purged', forgetRecord)]
