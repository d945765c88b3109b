import { limiter } from '#kernel/http/limits.ts'
import { workspace } from '#kernel/http/route.ts'
import { brandingOf, claim, domainOf, remove, verify } from './domains.ts'
import { Branding, ClaimDomain, Verified } from './schema.ts'

const { get, post, del, multiTransaction } = workspace

/** Each verification makes four DNS lookups. */
const verifying = limiter({ name: 'branded-verify', points: 10, seconds: 60, by: 'user' })

export default [
  get(
    '/domain',
    {
      allow: 'branded.view',
      description: 'Answers the workspace’s own domain, whether it works, and the DNS records that it needs.',
      reply: Branding,
    },
    async (ctx) => brandingOf(ctx, await domainOf(ctx)),
  ),
  post(
    '/domain',
    {
      operation: 'claimBrandedDomain',
      description:
        'Claims a hostname for the workspace, in place of an earlier one, and answers the DNS records to set. It works once they are verified.',
      summary: 'Claim a domain',
      allow: 'branded.manage',
      grants: true,
      body: ClaimDomain,
      reply: Branding,
      status: 201,
      message: 'Domain claimed. Set its DNS records, then verify it.',
    },
    async (ctx, { body }) => brandingOf(ctx, await claim(ctx, body.domain)),
  ),
  multiTransaction.post(
    '/domain/verify',
    {
      allow: 'branded.manage',
      grants: true,
      limit: verifying,
      reply: Verified,
      message: 'Domain checked.',
      description: 'Asks the DNS whether the records are right and answers what was found. The first success is kept.',
    },
    (steps) => verify(steps),
  ),
  del(
    '/domain',
    {
      allow: 'branded.manage',
      grants: true,
      reply: Branding,
      message: 'Domain removed.',
      description: 'Gives the domain up; links on it stop working.',
    },
    async (ctx) => {
      await remove(ctx)
      return brandingOf(ctx, undefined)
    },
  ),
]
