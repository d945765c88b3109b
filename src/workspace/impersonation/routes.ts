import { workspace } from '#kernel/http/route.ts'
import { users } from '#workspace/users/public.ts'
import { end, Impersonate, Impersonation, impersonations, lock, StartedImpersonation, start } from './impersonation.ts'

export default [
  workspace.post(
    '/users/:user/impersonate',
    {
      allow: 'users.impersonate',
      grants: false,
      noKeys: true,
      record: users.lock,
      body: Impersonate,
      reply: StartedImpersonation,
      status: 201,
      message: 'Impersonation begun.',
      description:
        'Begins to work as another user, for an hour: answers a token of theirs, once. It stands in the audit log. The owner and oneself can’t be taken.',
    },
    (ctx, { record, body }) => start(ctx, record, body.reason),
  ),
  workspace.get(
    '/user-impersonations',
    { allow: 'users.impersonate', query: impersonations.query, page: Impersonation },
    (ctx, { query }) => impersonations.page(ctx, query),
  ),
  // The impersonated user may have no permission at all: the token itself authorises ending the session.
  workspace.post(
    '/user-impersonation/:userImpersonation/end',
    {
      allow: 'signed-in',
      grants: false,
      noKeys: true,
      record: lock,
      reply: Impersonation,
      message: 'Impersonation ended.',
      description: 'Ends the impersonation and its token, by that token or by whoever began it.',
    },
    (ctx, { record }) => end(ctx, record),
  ),
]
