import { platform } from '#kernel/http/route.ts'
import { tenants } from '#platform/tenants/public.ts'
import { end, impersonations, lock, start } from './impersonation.ts'
import { Impersonate, Impersonation, StartedImpersonation } from './schema.ts'

export default [
  platform.get(
    '/tenants/:id/impersonation-sessions',
    {
      allow: 'impersonation.list',
      query: impersonations.query,
      description: 'Answers a page of who worked as the owner of a workspace, when and why.',
      page: Impersonation,
    },
    async (ctx, { id, query }) => {
      await tenants.find(ctx, id)
      return impersonations.page({ ...ctx, tenantId: id }, query)
    },
  ),
  platform.post(
    '/tenants/:id/impersonate',
    {
      allow: 'impersonation.start',
      noKeys: true,
      record: tenants.lock,
      body: Impersonate,
      reply: StartedImpersonation,
      status: 201,
      message: 'You work as the owner for an hour.',
      description:
        'Begins to work as the owner of a workspace, for an hour: answers a token of theirs, once. It stands in both audit logs.',
      operation: 'impersonateTenant',
    },
    (ctx, { record, body }) => start(ctx, record, body.reason),
  ),
  // The operator who began a session may end it without a permission.
  platform.post(
    '/impersonation/:id/end',
    {
      allow: 'signed-in',
      noKeys: true,
      record: lock,
      reply: Impersonation,
      message: 'Impersonation ended.',
      description: 'Ends the impersonation and its token.',
    },
    (ctx, { record }) => end(ctx, record),
  ),
]
