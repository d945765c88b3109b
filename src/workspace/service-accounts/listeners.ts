import { notifyCredentialChange } from '#kernel/auth/credential-changes.ts'
import { on } from '#kernel/modules/events.ts'

export default [
  // Only the owner in person can change it.
  on('setting.changed', async (ctx, { key, value }) => {
    if (key !== 'platform_grants_until') return
    const until = value as string | null
    const account = { tenant_id: ctx.tenant.id, user_id: ctx.actor.id! }
    const isOpen = until !== null && until > ctx.now
    await notifyCredentialChange(ctx, account, isOpen ? 'platform_grants.opened' : 'platform_grants.closed', { until })
  }),
]
