/** What an auditor asks about, beside what modules write themselves. */
import { audit } from '#kernel/auth/audit.ts'
import { on } from '#kernel/modules/events.ts'

export default [on('user.signed_in', (ctx) => audit(ctx, 'user_signed_in', {}))]
