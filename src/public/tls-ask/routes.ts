/** A proxy that issues certificates on demand asks here first: yes for verified hostnames of workspaces, no for anything else. */
import { z } from 'zod'
import { notFound } from '#kernel/errors.ts'
import { plainText } from '#kernel/http/answer.ts'
import { limiter } from '#kernel/http/limits.ts'
import { open } from '#kernel/http/route.ts'
import { workspaceOfHost } from '#workspace/branded/public.ts'

const limit = limiter({ name: 'tls-ask', points: 600, seconds: 60, by: 'ip' })

export default [
  open.get(
    '/tls-ask',
    {
      allow: 'anybody',
      errors: [404],
      limit,
      query: z.object({ domain: z.string().max(253) }),
      answer: 'text/plain',
      operation: 'mayIssueCertificate',
      summary: 'Ask whether a certificate may be issued',
      description: 'Answers 200 for a verified hostname of a workspace, 404 for any other.',
    },
    async (ctx, { query }) => {
      if (!(await workspaceOfHost(ctx, query.domain.toLowerCase()))) throw notFound('No workspace has verified this hostname.')
      return plainText('yes')
    },
  ),
]
