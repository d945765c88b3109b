/** Routes about acceptance for staff, the same for each kind of document. */
import { z } from 'zod'
import { notFound } from '#kernel/errors.ts'
import { type Route, workspace } from '#kernel/http/route.ts'
import type { Permission } from '#kernel/names.ts'
import { instant, shownOnce } from '#kernel/values/fields.ts'
import { capital } from '#kernel/values/words.ts'
import type { Acceptable, Offered } from './acceptable.ts'
import { issueLink, refuseLink } from './links.ts'
import { signatureOf } from './signatures.ts'

const AcceptanceLink = z
  .object({
    url: shownOnce().meta({
      description: 'Address of the page to accept it on. Told this once.',
      examples: ['https://atrium.example/accept/quotations/Jm3rVtq0o8nWc5xYb1dKfA'],
    }),
    expires_at: instant().describe('Until when the link is good.'),
  })
  .meta({ id: 'AcceptanceLink' })

/**
 * POST /:id/acceptance-link, with the given permission (ACC-12), and GET /:id/signed-document: the exact text whose hash was
 * signed.
 */
export const acceptanceRoutes = (offered: Acceptable, allow: Permission): Route[] => [
  workspace.post(
    '/:id/acceptance-link',
    {
      allow,
      grants: false,
      record: offered.of.lock,
      guard: (ctx, record) => refuseLink(ctx, offered, record as unknown as Offered),
      reply: AcceptanceLink,
      message: 'Whoever has the link can accept, once.',
      description:
        'Makes a link by which whoever has it can read and accept the document, once. Earlier links stay good: twenty at most, then the oldest ends. The address is told once.',
      operation: `issue${capital(offered.of.noun)}Link`,
      summary: `Make an acceptance link of a ${offered.of.noun}`,
    },
    async (ctx, { record }) => {
      const { url, expires_at } = await issueLink(ctx, offered, record as unknown as Offered)
      return { url, expires_at }
    },
  ),
  workspace.get(
    '/:id/signed-document',
    {
      allow: offered.of.may('view'),
      file: 'application/octet-stream',
      description: 'Answers the very text whose hash was signed, as canonical JSON. 404 where it was not signed by a link.',
    },
    async (ctx, { id }) => {
      const { number } = await offered.of.find(ctx, id)
      const signature = await signatureOf(ctx, offered.of.table, id)
      if (!signature) throw notFound(`This ${offered.of.noun} has not been signed.`)
      return { name: `${number}.json`, type: 'application/octet-stream', content: () => Buffer.from(signature.shown) }
    },
  ),
]
