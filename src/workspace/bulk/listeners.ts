import { forgetRecord } from '#kernel/http/bulk.ts'
import { on } from '#kernel/modules/events.ts'

export default [on('record.purged', forgetRecord)]
