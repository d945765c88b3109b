import { defineJob } from '#kernel/jobs/job.ts'
import { eachPart } from '#kernel/jobs/one-by-one.ts'
import { collectDue } from './collecting.ts'
import { mailInvoices } from './mailing.ts'

/** Mails and collects invoices: every minute, and at once after new ones were issued. */
export const collect = defineJob({
  name: 'billing-collect',
  schedule: '* * * * *',
  unique: 'waiting',
  async run(services, _, { signal }) {
    await eachPart(services, [mailInvoices, collectDue], signal)
  },
})
