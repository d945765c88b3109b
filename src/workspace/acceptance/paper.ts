/** Sends, prints and mails documents that customers accept. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { letter } from '#kernel/mail/letter.ts'
import { sendMail } from '#kernel/mail/mail.ts'
import { plainName } from '#kernel/mail/names.ts'
import type { PdfSpec } from '#kernel/pdf/pdf-spec.ts'
import { localInstant } from '#kernel/values/written.ts'
import {
  drawingOf,
  type EmailDocument,
  emailOffer,
  refuseOver,
  refuseUnmailable,
  sinceOffered,
} from '#workspace/billing-documents/public.ts'
import { wordsOf } from '#workspace/document-texts/public.ts'
import { issue } from '#workspace/issued-documents/public.ts'
import { type Acceptable, canonicalText, type Offered } from './acceptable.ts'
import { endLinks, issueLink, refuseLink } from './links.ts'
import { signedPaper } from './signatures.ts'
import { acceptanceRoutes } from './staff-routes.ts'

/**
 * Issues a document that has just been sent, with its first acceptance link (ACC-04, ACC-08); sends no mail. 422 on the last day
 * if it has passed, on `lines` if the document is too long to be accepted.
 */
export async function openToAcceptance(ctx: Ctx, offered: Acceptable, document: Offered) {
  refuseOver(ctx, document, offered.lastDay)
  await issue(ctx, offered, [document.id])
  await canonicalText(ctx, offered, document.id)
  await issueLink(ctx, offered, document)
}

/** Spec of its PDF with the signature, rendered later. */
export async function acceptablePdf(ctx: Ctx, offered: Acceptable, document: Offered): Promise<PdfSpec> {
  const { paper, signed } = await signedPaper(ctx, offered, document.id)
  const say = await wordsOf(ctx, paper)
  return drawingOf(paper, sinceOffered(say, document, signed), { signature: signed?.image })
}

/** 422 on `status` in a state in which nothing is mailed, or in which the mail's link can't be created. */
export function refuseMailingAcceptable(ctx: Ctx, offered: Acceptable, mailable: string[], document: Offered) {
  refuseUnmailable(offered.of.noun, document, mailable)
  if (document.status === 'sent') refuseLink(ctx, offered, document)
}

/** Queues a mail, by default to the contact, else to the company. While an answer is awaited it contains an acceptance link. */
export async function emailAcceptable(ctx: Ctx, offered: Acceptable, document: Offered, body: z.output<typeof EmailDocument>) {
  const link = document.status === 'sent' ? await issueLink(ctx, offered, document) : undefined
  const paper = await signedPaper(ctx, offered, document.id)
  return emailOffer(ctx, offered.of, document, { ...paper, link }, body)
}

/**
 * Mails the signed document to its signer, at the address that they entered: once, as a link accepts once. The document's
 * assignee is notified if it bounces.
 */
export async function mailSigned(
  ctx: Ctx,
  offered: Acceptable,
  document: Offered,
  { signer_name, signer_email, signed_at }: { signer_name: string; signer_email: string; signed_at: string },
) {
  const { noun } = offered.of
  const { paper, signed } = await signedPaper(ctx, offered, document.id)
  const { issuer, accent } = paper.printed
  const say = await wordsOf(ctx, paper)
  const { number, title } = document
  const { timezone } = paper
  const subject = say('signed_subject', { number, title })
  const greetings = say.each('signed_greeting', { name: plainName(signer_name) })
  const thanks = say.each('signed_body', { number })
  const bodies = letter({
    title: subject,
    lang: paper.languages[0],
    from: issuer.name,
    words: { openAddress: say('open_address') },
    paragraphs: greetings.flatMap((greeting, n) => [greeting, thanks[n]!]),
    facts: [{ label: say('signed_on'), value: localInstant(signed_at, { timezone, locale: paper.locale }) }],
    brand: { logoUrl: paper.logo && ctx.services.storage.url(paper.logo) },
    accent: accent ?? undefined,
  })
  const drawing = drawingOf(paper, sinceOffered(say, document, signed), { signature: signed?.image })
  await sendMail(ctx, {
    type: `${noun}.signed`,
    to: [signer_email],
    subject,
    from: issuer.name,
    replyTo: (await ctx.setting('company_email')) || undefined,
    sentBy: document.assigned_to ?? document.created_by,
    attachments: [{ name: `${number}.pdf`, mime: 'application/pdf', drawing }],
    ...bodies,
  })
}

/** Acceptance by link, as an option of `defineOffer`. */
export const byLink = {
  send: openToAcceptance,
  pdf: acceptablePdf,
  refuseMailing: refuseMailingAcceptable,
  email: emailAcceptable,
  end: (ctx: Ctx, { of }: Acceptable, { id }: Offered) => endLinks(ctx, of.table, id),
  routes: acceptanceRoutes,
}
