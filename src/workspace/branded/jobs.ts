/** Jobs that check domains: claims every hour of their first week, verified ones every day. */
import { writeAsSystem } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { defineWorkspaceJob } from '#kernel/jobs/workspace-job.ts'
import { checkDns } from './dns.ts'
import { domainOf, noteChecks, postpone } from './domains.ts'

/** Maximum checks per hourly run; the longest overdue come first. */
const MAX = 5000

const check = defineWorkspaceJob({
  name: 'branded-check',
  transactions: 'own',
  unique: 'waiting',
  concurrency: 4,
  async run(steps) {
    const row = await steps.read((ctx) => domainOf(ctx))
    if (!row?.next_check_at || row.next_check_at > steps.now) return
    const found = await checkDns(steps.services.config, row)
    await steps
      .write((ctx) => noteChecks(ctx, row, found))
      .catch((error) => {
        if (!(error instanceof HttpError)) throw error
        return steps.write((ctx) => postpone(ctx, row))
      })
  },
})

const dispatch = defineJob({
  name: 'branded-dispatch',
  schedule: '7 * * * *',
  unique: 'both',
  run: (services) =>
    writeAsSystem(services, async (ctx) => {
      const due = await ctx.tx
        .selectFrom('branded_domains')
        .select('tenant_id')
        .where('next_check_at', '<=', ctx.now)
        .orderBy('next_check_at')
        .limit(MAX)
        .execute()
      const items = due.map(({ tenant_id }) => ({ tenantId: tenant_id, data: {} }))
      while (items.length) await ctx.services.queue.sendAll(ctx, check, items.splice(0, 1000))
    }),
})

export default [check, dispatch]
