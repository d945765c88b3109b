/** Actions of a customer with an acceptance link: read the document, accept it once, and see what was signed. */
import { z } from 'zod'
import type { Ctx, PublicCtx, PublicSteps } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { logActivity } from '#kernel/records/timeline.ts'
import { discardUnused, keepUpload, type Upload } from '#kernel/storage/uploads.ts'
import { enterWorkspace } from '#kernel/tenancy/session.ts'
import { email, formatted, instant, text } from '#kernel/values/fields.ts'
import { CustomerDocument, isOver } from '#workspace/billing-documents/public.ts'
import { wordsOf } from '#workspace/document-texts/public.ts'
import { paperOf } from '#workspace/issued-documents/public.ts'
import { type Acceptable, canonicalText, type Offered } from './acceptable.ts'
import { drawnSignature, storeDrawnSignature } from './drawn-signature.ts'
import { acceptanceSentences, findLink, invalidLink, redeemLink } from './links.ts'
import { acceptablePdf, mailSigned } from './paper.ts'
import { signatureOf } from './signatures.ts'

/** The document as a visitor with the link sees it, and its workspace. */
const sha256 = () =>
  z.string().meta({
    description: 'SHA-256 of the document’s canonical text, in hexadecimal.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  })

export const OfferedDocument = z
  .object({
    ...CustomerDocument.shape,
    document_sha256: sha256(),
    expires_at: instant().describe('Until when the link is good.'),
    branding: z
      .object({
        name: z.string(),
        logo_url: formatted('uri').nullable(),
        accent: z.string().meta({ description: 'Its colour: `#` and six hexadecimal digits.', examples: ['#1f4f82'] }),
        locale: z.string(),
      })
      .describe('How the firm looks: for pages that show the document.'),
  })
  .meta({ id: 'OfferedDocument' })
export type OfferedDocument = z.output<typeof OfferedDocument>

export const AcceptDocument = z.object({
  signer_name: text(255).meta({ description: 'The name of whoever accepts.', examples: ['Ann Ash'] }),
  signer_email: email().meta({ description: 'Their address.', examples: ['ann@nordwind.example'] }),
  accept_terms: z
    .literal(true, 'Must be true: without it nothing is accepted.')
    .describe('Must be true: by it the document is accepted.'),
  signature: z
    .discriminatedUnion('type', [
      z.object({
        type: z.literal('typed').describe('The name was typed.'),
        value: text(255).meta({ description: 'The name, as it was typed.', examples: ['Ann Ash'] }),
      }),
      z.object({
        type: z.literal('drawn').describe('It was drawn.'),
        value: drawnSignature().meta({
          description: 'A PNG picture as a data URL.',
          examples: ['data:image/png;base64,iVBORw0KGgo='],
        }),
      }),
    ])
    .optional()
    .meta({ description: 'The typed name of the signer unless sent.' }),
  document_sha256: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'What was read: refused when the document is another by now.' }),
})
export type AcceptDocument = z.output<typeof AcceptDocument>

export const AcceptedDocument = z
  .object({
    number: z.string(),
    title: z.string(),
    status: z.string(),
    signer_name: z.string(),
    signer_email: formatted('email'),
    signed_at: instant().describe('When it was accepted.'),
    document_sha256: sha256(),
  })
  .meta({ id: 'AcceptedDocument' })
export type AcceptedDocument = z.output<typeof AcceptedDocument>

/** GET of the link, which doesn't use it up. 404 if it isn't outstanding. */
export const readByLink = async (ctx: PublicCtx, offered: Acceptable, token: string) =>
  (await shownByLink(ctx, offered, token)).shown

/** Returns the result of `readByLink`, and its workspace. */
export const shownByLink = (ctx: PublicCtx, offered: Acceptable, token: string) =>
  throughLink(ctx, offered, token, 'find', async (ctx, { id }, { expires_at }) => {
    const { paper, hash } = await canonicalText(ctx, offered, id)
    const { shown: document, printed, locale, logo } = paper
    const logo_url = logo && ctx.services.storage.url(logo)
    const shown: OfferedDocument = {
      ...document,
      document_sha256: hash,
      expires_at,
      branding: { name: document.issuer.name, logo_url, accent: printed.accent!, locale },
    }
    return { shown, workspace: ctx.tenant.id, timezone: paper.timezone, say: await wordsOf(ctx, paper) }
  })

/** Returns what a link shows once its document was accepted with it; 404 for any other link. */
export const signedByLink = (ctx: PublicCtx, offered: Acceptable, token: string) =>
  throughLink(ctx, offered, token, 'redeemed', async (ctx, document, { expires_at }) => {
    const paper = await paperOf(ctx, offered, document.id)
    const signature = await signatureOf(ctx, offered.of.table, document.id)
    if (!signature) throw invalidLink()
    const { signer_name, signed_at, document_sha256 } = signature
    const { locale, timezone, logo, printed } = paper
    const { number, title } = document
    const branding = {
      name: printed.issuer.name,
      logo_url: logo && ctx.services.storage.url(logo),
      accent: printed.accent!,
      locale,
    }
    const say = await wordsOf(ctx, paper)
    return { number, title, signer_name, signed_at, document_sha256, expires_at, branding, timezone, say }
  })
export type SignedByLink = Awaited<ReturnType<typeof signedByLink>>

/** Spec of the PDF of the document accepted by a link, rendered later; 404 for any other link. */
export const signedPdfByLink = (ctx: PublicCtx, offered: Acceptable, token: string) =>
  throughLink(ctx, offered, token, 'redeemed', async (ctx, document) => ({
    workspace: ctx.tenant.id,
    name: `${document.number}.pdf`,
    drawing: await acceptablePdf(ctx, offered, document),
  }))

/**
 * Accepts the document: stores the signature with the shown content, uses up the link and changes the document's state, in one
 * transaction (ACC-05, ACC-08). 404 if the link isn't outstanding, also for the second of two simultaneous requests; 422 on
 * `document_sha256` if another version was read.
 */
export async function acceptByLink(
  steps: PublicSteps,
  offered: Acceptable,
  token: string,
  sent: AcceptDocument,
): Promise<AcceptedDocument> {
  const tenantId = await steps.read((ctx) => throughLink(ctx, offered, token, 'find', async ({ tenant }) => tenant.id))
  const { signature } = sent
  const drawn = signature?.type === 'drawn' ? await storeDrawnSignature(steps.services, tenantId, signature.value) : undefined
  try {
    return await steps.finish((ctx) =>
      throughLink(ctx, offered, token, 'lock', async (ctx, document, link) => {
        await redeemLink(ctx, link.id)
        const signature = await sign(ctx, offered, document, sent, drawn)
        await offered.accepted(ctx, document)
        const accepted = (await offered.of.find(ctx, document.id)) as unknown as Offered
        await mailSigned(ctx, offered, accepted, signature)
        const { number, title, status } = accepted
        return { number, title, status, ...signature }
      }),
    )
  } finally {
    if (drawn) await discardUnused(steps.services, [drawn])
  }
}

/**
 * Enters the link's workspace, if its document is live, its module is installed, and an answer is awaited or was given by this
 * link.
 */
async function throughLink<T>(
  ctx: PublicCtx,
  { of, lastDay }: Acceptable,
  token: string,
  how: 'find' | 'lock' | 'redeemed',
  work: (ctx: Ctx, document: Offered, link: { id: number; subject_id: number; expires_at: string }) => Promise<T>,
): Promise<T> {
  const isRedeemed = how === 'redeemed'
  const link = await findLink(ctx, of.table, token, isRedeemed ? 'redeemed' : 'outstanding')
  return enterWorkspace(ctx, link.tenant_id, async (ctx) => {
    if (!ctx.entitled(of.module)) throw invalidLink()
    const document = (await of[isRedeemed ? 'find' : how](ctx, link.subject_id)) as unknown as Offered
    if (!isRedeemed && (document.status !== 'sent' || isOver(ctx, document, lastDay))) throw invalidLink()
    return work(ctx, document, link)
  })
}

async function sign(ctx: Ctx, offered: Acceptable, { id }: Offered, sent: AcceptDocument, drawn?: Upload) {
  const { text: shown, hash: document_sha256 } = await canonicalText(ctx, offered, id)
  if (sent.document_sha256 && sent.document_sha256 !== document_sha256)
    throw invalid({ document_sha256: 'The document has changed since you read it. Please read it again.' })
  const { signer_name, signer_email, signature } = sent
  const signed = { signer_name, signer_email, signed_at: ctx.now, document_sha256 }
  const { table } = offered.of
  if (drawn) await keepUpload(ctx, drawn)
  await ctx.tx
    .insertInto('customer_signatures')
    .values({
      tenant_id: ctx.tenant.id,
      subject_type: table,
      subject_id: id,
      ...signed,
      kind: drawn ? 'drawn' : 'typed',
      typed: drawn ? null : (signature?.value ?? signer_name),
      image_key: drawn?.key ?? null,
      ip: ctx.request.ip,
      user_agent: ctx.request.userAgent.slice(0, 500),
      shown,
    })
    .execute()
  await logActivity(ctx, { table, activityTemplates: acceptanceSentences }, id, 'signed', { signer_name, signer_email })
  return signed
}
