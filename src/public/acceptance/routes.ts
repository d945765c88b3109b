/**
 * Routes of acceptance links, for two types of document, each with a page and a JSON API. Opening a link doesn't use it up,
 * because mail scanners open links too.
 */
import { limiter } from '#kernel/http/limits.ts'
import { open, type Route } from '#kernel/http/route.ts'
import { renderPdf } from '#kernel/pdf/pdf-spec.ts'
import {
  type Acceptable,
  AcceptDocument,
  AcceptedDocument,
  acceptByLink,
  OfferedDocument,
  readByLink,
  signedPdfByLink,
} from '#workspace/acceptance/public.ts'
import { acceptableContract } from '#workspace/contracts/public.ts'
import { acceptableQuotation } from '#workspace/quotations/public.ts'
import { acceptByForm, linkPage } from './form.ts'
import { SignForm } from './page.ts'

/** Sixty requests a minute per IP address (ACC-11), page and JSON together. */
const limits = {
  contract: limiter({ name: 'contract-acceptance', points: 60, seconds: 60, by: 'ip' }),
  quotation: limiter({ name: 'quotation-acceptance', points: 60, seconds: 60, by: 'ip' }),
}

function routesOf(kind: keyof typeof limits, offered: Acceptable): Route[] {
  const limit = limits[kind]
  const Kind = kind === 'contract' ? 'Contract' : 'Quotation'
  const json = { allow: 'anybody', limit } as const
  const html = { ...json, answer: 'text/html' } as const
  return [
    open.get(
      `/api/tenant/v1/public/${kind}s/accept/:token`,
      {
        ...json,
        reply: OfferedDocument,
        operation: `showOffered${Kind}`,
        description:
          'Answers the document as the customer sees it. Opening a link uses nothing up. 404 where the link has ended.',
        summary: `The ${kind} behind an acceptance link`,
      },
      (ctx, { token }) => readByLink(ctx, offered, token),
    ),
    open.multiTransaction.post(
      `/api/tenant/v1/public/${kind}s/accept/:token`,
      {
        ...json,
        body: AcceptDocument,
        reply: AcceptedDocument,
        message: `${Kind} accepted.`,
        operation: `acceptOffered${Kind}`,
        description:
          'Accepts the document in the name that is sent; name, address and IP are kept with the hash of the text. The link ends.',
        summary: `Accept the ${kind} behind an acceptance link`,
      },
      (steps, { token, body }) => acceptByLink(steps, offered, token, body),
    ),
    open.multiTransaction.get(
      `/accept/${kind}s/:token`,
      {
        ...html,
        operation: `open${Kind}Page`,
        description: 'The document as a page with a form to sign it.',
        summary: `The page of an offered ${kind}`,
      },
      (steps, { token }) => linkPage(steps, offered, token),
    ),
    open.multiTransaction.post(
      `/accept/${kind}s/:token`,
      {
        ...html,
        form: true,
        body: SignForm,
        notIdempotent: true,
        operation: `sign${Kind}Page`,
        description: 'What the page’s form sends: it accepts the document as the JSON route does and answers a page.',
        summary: `Accept a ${kind} by its page`,
      },
      (steps, { token, body }) => acceptByForm(steps, offered, token, body),
    ),
    open.multiTransaction.get(
      `/accept/${kind}s/:token/pdf`,
      {
        ...json,
        file: 'application/pdf',
        operation: `downloadSigned${Kind}`,
        summary: `The signed ${kind} behind the link that accepted it`,
      },
      async ({ read, services }, { token }) => {
        const { workspace, name, drawing } = await read((ctx) => signedPdfByLink(ctx, offered, token))
        return { name, type: 'application/pdf', content: () => renderPdf(services, workspace, drawing) }
      },
    ),
  ]
}

export default [...routesOf('contract', acceptableContract), ...routesOf('quotation', acceptableQuotation)]
