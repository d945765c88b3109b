/** Audit entries in addition to the ones that modules write themselves. */

import { on } from '#kernel/modules/events.ts'
import { audit } from '#kernel/tenancy/audit.ts'

export default [on('user.signed_in', (ctx) => audit(ctx, 'user_signed_in', {}))]
