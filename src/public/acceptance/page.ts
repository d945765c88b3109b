/** The pages that a customer sees: the document with the form to sign it, the thanks, and from then on what was signed. */
import { z } from 'zod'
import type { PublicSteps } from '#kernel/context.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { sanitizedTexts } from '#kernel/http/formatted-texts.ts'
import { page } from '#kernel/http/page.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { capital } from '#kernel/values/words.ts'
import { localInstant } from '#kernel/values/written.ts'
import { type Acceptable, type OfferedDocument, type SignedByLink, shownByLink } from '#workspace/acceptance/public.ts'
import { documentHtml } from './document.ts'
import { script, styles } from './page-assets.ts'

/** A form's fields are texts, and judged as the JSON that they stand for. */
export const SignForm = z.object({
  signer_name: z.string().max(1000).default(''),
  signer_email: z.string().max(1000).default(''),
  accept_terms: z
    .string()
    .max(10)
    .optional()
    .meta({ description: '`on` where the box was ticked: without it nothing is accepted.', examples: ['on'] }),
  drawn: z
    .string()
    .max(300_000)
    .optional()
    .meta({
      description: 'The drawn signature as a data URL of a PNG picture.',
      examples: ['data:image/png;base64,iVBORw0KGgo='],
    }),
  document_sha256: z
    .string()
    .max(64)
    .optional()
    .meta({
      description: 'What was read: refused when the document is another by now.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
})
export type SignForm = z.output<typeof SignForm>

/** What the form was sent with, and what is wrong with it. */
type Refused = Partial<SignForm> & { errors?: Record<string, string[]> }

/** The page of an outstanding link, 404 of any other; a 422 when the form comes back with errors. */
export async function offerPage(steps: PublicSteps, offered: Acceptable, token: string, refused: Refused = {}): Promise<Answer> {
  const { shown, workspace, timezone } = await steps.read((ctx) => shownByLink(ctx, offered, token))
  const { body, notes, terms_and_conditions, lines } = shown
  const formatted = [body, notes, terms_and_conditions, ...lines.map((line) => line.body)].filter(
    (html) => typeof html === 'string',
  )
  const sanitized = await sanitizedTexts(steps.services, workspace, formatted)
  return branded(shown.branding, {
    title: `${capital(shown.type)} ${shown.number}`,
    about: documentHtml(shown, sanitized),
    body: formHtml(shown, timezone, refused),
    width: 'wide',
    script,
    status: refused.errors ? 422 : 200,
  })
}

/** Where a signed document is had, below its link. */
interface Signed {
  signed: SignedByLink
  /** The path of its PDF. */
  pdf: string
}

export const thanksPage = (of: Signed, signerEmail: string): Answer =>
  signedPage(
    of,
    'Thank you',
    `<p role="status">You have accepted ${named(of.signed)}. The signed document is on its way to ${escapeHtml(signerEmail)}.</p>`,
  )

/** What the link shows once it has accepted: 409 to who would do it again. */
export const acceptedPage = (of: Signed, status = 200): Answer =>
  signedPage(of, `Signed: ${of.signed.number}`, `<p role="status">${named(of.signed)} was accepted by this link.</p>`, status)

const named = ({ number, title }: SignedByLink) => `${escapeHtml(number)}, <bdi>${escapeHtml(title)}</bdi>`

function signedPage({ signed, pdf }: Signed, title: string, said: string, status = 200): Answer {
  const { signer_name, signed_at, document_sha256, expires_at, branding, timezone } = signed
  const written = (instant: string) => escapeHtml(localInstant(instant, { timezone, locale: branding.locale }))
  return branded(branding, {
    title,
    body: `${said}
<dl>
<div><dt>Signed by</dt><dd><bdi>${escapeHtml(signer_name)}</bdi></dd></div>
<div><dt>Signed on</dt><dd>${written(signed_at)}</dd></div>
<div class="wide"><dt>SHA-256 of what was signed</dt><dd><code>${document_sha256}</code></dd></div>
</dl>
<p><a class="button" href="${escapeHtml(pdf)}" download>Download the signed document (PDF)</a></p>
<p class="hint">This page is here until ${written(expires_at)}.</p>`,
    status,
  })
}

function branded({ name, logo_url, accent, locale }: OfferedDocument['branding'], content: Parameters<typeof page>[0]): Answer {
  return page({ ...content, styles, brand: { name, logoUrl: logo_url, accent }, lang: locale })
}

function formHtml(
  { type, document_sha256, expires_at, branding }: OfferedDocument,
  timezone: string,
  { errors, ...sent }: Refused,
) {
  const said = (field: string) => (errors?.[field] ?? []).map(escapeHtml).join(' ')
  const input = (field: 'signer_name' | 'signer_email', label: string, attributes: string) => {
    const wrong = said(field)
    const told = wrong ? ` aria-invalid="true" aria-describedby="${field}_error"` : ''
    return `<label>${label}<input name="${field}" value="${escapeHtml(sent[field] ?? '')}" ${attributes} required${told}></label>
${wrong ? `<p class="error" id="${field}_error">${wrong}</p>` : ''}`
  }
  const beside = ['document_sha256', 'signature.value', 'lines'].map(said).filter(Boolean).join(' ')
  const alert = errors ? `<p class="error" role="alert">${beside || 'Please look at what is marked below.'}</p>` : ''
  const terms = errors?.accept_terms ? ' aria-invalid="true" aria-describedby="accept_terms_error"' : ''
  return `<section class="sign"><h2>Accept and sign</h2>
${alert}
<form method="post">
${input('signer_name', 'Your name', 'maxlength="255" autocomplete="name"')}
${input('signer_email', 'Your e-mail address', 'type="email" maxlength="254" autocomplete="email"')}
<p class="hint">Your name, as you type it, is your signature.</p>
<div id="pad" hidden>
<p class="hint">You may draw it as well, with a finger or a mouse:</p>
<canvas width="900" height="300" role="img" aria-label="A field to draw your signature in"></canvas>
<button type="button" class="plain">Clear the drawing</button>
<input type="hidden" name="drawn">
</div>
<label class="check"><input type="checkbox" name="accept_terms" value="true" required${terms}>
<span>I accept this ${type} and its terms.</span></label>
${errors?.accept_terms ? '<p class="error" id="accept_terms_error">Tick this to accept.</p>' : ''}
<input type="hidden" name="document_sha256" value="${document_sha256}">
<button>Accept and sign</button>
</form>
<p class="hint">This link is for you alone, and good until ${escapeHtml(localInstant(expires_at, { timezone, locale: branding.locale }))}. With your signature we keep your IP address, your browser’s name and the time.</p>
</section>`
}
