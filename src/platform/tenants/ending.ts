/** Deletes registered workspaces whose address wasn't confirmed in time. */
import { type Services, writeAsSystem } from '#kernel/context.ts'
import { defineJob } from '#kernel/jobs/job.ts'
import { oneByOne } from '#kernel/jobs/one-by-one.ts'
import { plusSeconds } from '#kernel/values/time.ts'
import { endTenant } from './trash.ts'
import { PROOF_DAYS } from './unproven.ts'

/** Job that deletes unconfirmed workspaces for good. */
export const endUnproven = defineJob({
  name: 'tenants-end-unproven',
  schedule: '23 * * * *',
  unique: 'both',
  async run(services, _, { signal }) {
    const each = oneByOne(services, 'an unproven workspace could not be ended')
    for (const id of await overdue(services)) {
      if (signal.aborted) return
      await each.attempt({ tenant_id: id }, () =>
        writeAsSystem(services, async (ctx) => {
          const found = ctx.tx.selectFrom('unproven_workspaces').select('tenant_id').where('tenant_id', '=', id).forUpdate()
          if (await found.executeTakeFirst()) await endTenant(ctx, id)
        }),
      )
    }
    each.end()
  },
})

/** Returns the overdue workspaces. Those that an operator has deleted, and may restore, are excluded. */
const overdue = ({ database, clock }: Services) =>
  database.platform('read', async (tx) => {
    const rows = await tx
      .selectFrom('unproven_workspaces as u')
      .innerJoin('tenants as t', 't.id', 'u.tenant_id')
      .select('u.tenant_id')
      .where('u.created_at', '<=', plusSeconds(clock.now(), -PROOF_DAYS * 24 * 3600))
      .where('t.deleted_at', 'is', null)
      .orderBy('u.created_at')
      .execute()
    return rows.map(({ tenant_id }) => tenant_id)
  })
