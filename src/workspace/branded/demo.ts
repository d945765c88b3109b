/**
 * Demo hostname whose DNS was verified, and which waits for its certificate. It belongs to nobody, so it is not checked again.
 */
import { randomBytes } from 'node:crypto'
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertAll, insertRows } from '#kernel/records/many-rows.ts'

export default defineDemo({
  async fill(ctx, { calendar, people }) {
    const domain = `crm.${ctx.tenant.slug}.example`
    const [claimed_at, verified_at] = [calendar.instant(calendar.days - 6)!, calendar.instant(calendar.days - 5)!]
    await insertRows(ctx, 'branded_domains', [
      {
        ...{ domain, token: randomBytes(16).toString('hex'), hosting_status: 'ssl_pending', next_check_at: null },
        ...{ claimed_at, verified_at, created_at: claimed_at, updated_at: verified_at, revision: 2 },
      },
    ])
    await insertAll(ctx, 'branded_hosts', [{ host: domain }])
    const by = { actor_type: 'user' as const, actor_id: people[0]!.id, properties: { domain } }
    await insertRows(ctx, 'audit_logs', [
      { ...by, event: 'branded_domain_claimed', created_at: claimed_at },
      { ...by, event: 'branded_domain_verified', created_at: verified_at },
    ])
    return 1
  },
})
