/** Scheduled billing jobs. Each processes everything that is due, whatever the amount or delay. */
import { defineJob } from '#kernel/jobs/job.ts'
import { eachPart } from '#kernel/jobs/one-by-one.ts'
import { collect } from './collect-job.ts'
import { renewDue } from './renewals.ts'
import { giveUpUnpaid } from './unpaid.ts'

const renew = defineJob({
  name: 'billing-renew',
  schedule: '*/10 * * * *',
  unique: 'waiting',
  async run(services, _, { signal }) {
    await eachPart(services, [giveUpUnpaid, renewDue], signal)
  },
})

export default [renew, collect]
