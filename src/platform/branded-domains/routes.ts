import { platform } from '#kernel/http/route.ts'
import { tenants } from '#platform/tenants/public.ts'
import { Domain } from '#workspace/branded/public.ts'
import { provision } from './provisioning.ts'

export default [
  platform.post(
    '/:id/branded-domain/mark-ssl-provisioned',
    {
      operation: 'markDomainProvisioned',
      description: 'Notes that the edge serves TLS for the workspace’s verified domain: from now on its links use it.',
      summary: 'Say that TLS is live for the domain of a workspace',
      allow: 'tenants.update',
      record: tenants.lock,
      reply: Domain,
      message: 'The domain is live.',
    },
    (ctx, { id }) => provision(ctx, id),
  ),
]
