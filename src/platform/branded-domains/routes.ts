import { platform } from '#kernel/http/route.ts'
import { tenants } from '#platform/tenants/public.ts'
import { ProvisionedDomain, provision } from './provisioning.ts'

export default [
  platform.post(
    '/:id/branded-domain/mark-ssl-provisioned',
    { allow: 'tenants.update', record: tenants.lock, reply: ProvisionedDomain, message: 'The domain is live.' },
    (ctx, { id }) => provision(ctx, id),
  ),
]
