/** Endpoint for a proxy that issues certificates on demand: permits verified hostnames of workspaces, and nothing else. */
import { z } from 'zod'
import { notFound } from '#kernel/errors.ts'
import { plainText } from '#kernel/http/answer.ts'
import { open } from '#kernel/http/route.ts'
import { isVerified } from './lookups.ts'

// No limit by IP address: all requests come from the proxy, so strangers could use it up for everyone.
export default [
  open.multiTransaction.get(
    '/tls-ask',
    {
      allow: 'anybody',
      errors: [404],
      query: z.object({ domain: z.string().max(253).describe('The hostname that a certificate is asked for.') }),
      answer: 'text/plain',
      operation: 'mayIssueCertificate',
      summary: 'Ask whether a certificate may be issued',
      description: 'Answers 200 for a verified hostname of a workspace, 404 for any other.',
    },
    async ({ services }, { query }) => {
      if (!(await isVerified(services, query.domain.toLowerCase()))) throw notFound('No workspace has verified this hostname.')
      return plainText('yes')
    },
  ),
]
