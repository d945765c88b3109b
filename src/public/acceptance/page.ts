/** Pages for customers: the document with a form to sign it, the thanks, and later the signed document. */
import { z } from 'zod'
import type { PublicSteps } from '#kernel/context.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { sanitizedTexts } from '#kernel/http/formatted-texts.ts'
import { page } from '#kernel/http/page.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { localInstant } from '#kernel/values/written.ts'
import { type Acceptable, type OfferedDocument, type SignedByLink, shownByLink } from '#workspace/acceptance/public.ts'
import type { Say } from '#workspace/document-texts/public.ts'
import { documentHtml } from './document.ts'
import { script, styles } from './page-assets.ts'

/** Fields of the form. All are texts; they are then validated as the JSON they stand for. */
export const SignForm = z.object({
  signer_name: z.string().max(1000).default(''),
  signer_email: z.string().max(1000).default(''),
  accept_terms: z
    .string()
    .max(10)
    .optional()
    .meta({ description: '`true` where the box was ticked: without it nothing is accepted.', examples: ['true'] }),
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

/** Submitted values and errors of a form. */
type Refused = Partial<SignForm> & { errors?: Record<string, string[]> }

/** Returns the page of an open link; 404 for any other. 422 if the form is shown again with errors. */
export async function offerPage(steps: PublicSteps, offered: Acceptable, token: string, refused: Refused = {}): Promise<Answer> {
  const { shown, workspace, timezone, say } = await steps.read((ctx) => shownByLink(ctx, offered, token))
  const { body, notes, terms_and_conditions, lines } = shown
  const formatted = [body, notes, terms_and_conditions, ...lines.map((line) => line.body)].filter(
    (html) => typeof html === 'string',
  )
  const sanitized = await sanitizedTexts(steps.services, workspace, formatted)
  return branded(say, shown.branding, {
    title: `${say(`kind_${shown.type}`)} ${shown.number}`,
    about: documentHtml(shown, say, sanitized),
    body: formHtml(say, shown, timezone, refused),
    width: 'wide',
    script,
    status: refused.errors ? 422 : 200,
  })
}

/** Signed document of a link. */
interface Signed {
  signed: SignedByLink
  /** Path of its PDF. */
  pdf: string
}

/** Returns the page shown after signing. */
export const thanksPage = (of: Signed, signerEmail: string): Answer => {
  const { say } = of.signed
  const said = say.each('thanks_body', { ...named(of.signed), email: isolated(signerEmail) })
  return signedPage(of, say('thank_you'), said)
}

/** Returns the page of a link after acceptance: with status 409 for an attempt to accept again. */
export const acceptedPage = (of: Signed, status = 200): Answer => {
  const { say, number } = of.signed
  return signedPage(of, say('signed_title', { number }), say.each('was_accepted', named(of.signed)), status)
}

/** Isolates a text's direction from the surrounding sentence. */
const isolated = (text: string) => `\u2068${text}\u2069`
const named = ({ number, title }: SignedByLink) => ({ number: isolated(number), title: isolated(title) })
/** Returns a sentence's translations, one per line. */
const lines = (sentences: string[]) => sentences.map(escapeHtml).join('<br>')

function signedPage({ signed, pdf }: Signed, title: string, said: string[], status = 200): Answer {
  const { signer_name, signed_at, document_sha256, expires_at, branding, timezone, say } = signed
  const until = (locale: string) => localInstant(expires_at, { timezone, locale })
  return branded(say, branding, {
    title,
    body: `<p role="status">${lines(said)}</p>
<dl>
<div><dt>${escapeHtml(say('signed_by'))}</dt><dd><bdi>${escapeHtml(signer_name)}</bdi></dd></div>
<div><dt>${escapeHtml(say('signed_on'))}</dt><dd>${escapeHtml(localInstant(signed_at, { timezone, locale: say.locale }))}</dd></div>
<div class="wide"><dt>${escapeHtml(say('signed_hash'))}</dt><dd><code>${document_sha256}</code></dd></div>
</dl>
<p><a class="button" href="${escapeHtml(pdf)}" download>${escapeHtml(say('download_signed'))}</a></p>
<p class="hint">${lines(say.each('page_until', { until }))}</p>`,
    status,
  })
}

function branded(
  { languages: [lang] }: Say,
  { name, logo_url, accent }: OfferedDocument['branding'],
  content: Parameters<typeof page>[0],
): Answer {
  return page({ ...content, styles, brand: { name, logoUrl: logo_url, accent }, lang })
}

function formHtml(say: Say, { document_sha256, expires_at }: OfferedDocument, timezone: string, { errors, ...sent }: Refused) {
  const input = (field: 'signer_name' | 'signer_email', label: string, attributes: string) => {
    const wrong = errors?.[field] ? escapeHtml(say(field === 'signer_name' ? 'name_wrong' : 'email_wrong')) : ''
    const told = wrong ? ` aria-invalid="true" aria-describedby="${field}_error"` : ''
    return `<label>${label}<input name="${field}" value="${escapeHtml(sent[field] ?? '')}" ${attributes} required${told}></label>
${wrong ? `<p class="error" id="${field}_error">${wrong}</p>` : ''}`
  }
  const beside = errors?.document_sha256
    ? 'document_changed'
    : errors && Object.keys(errors).some((field) => field.startsWith('signature'))
      ? 'drawing_wrong'
      : 'look_below'
  const alert = errors ? `<p class="error" role="alert">${lines(say.each(beside))}</p>` : ''
  const terms = errors?.accept_terms ? ' aria-invalid="true" aria-describedby="accept_terms_error"' : ''
  const until = (locale: string) => localInstant(expires_at, { timezone, locale })
  const kept = say.each('what_is_kept')
  const about = say.each('link_is_yours', { until }).map((good, n) => `${good} ${kept[n]}`)
  return `<section class="sign"><h2>${escapeHtml(say('accept_and_sign'))}</h2>
${alert}
<form method="post">
${input('signer_name', escapeHtml(say('your_name')), 'maxlength="255" autocomplete="name"')}
${input('signer_email', escapeHtml(say('your_email')), 'type="email" maxlength="254" autocomplete="email"')}
<p class="hint">${lines(say.each('name_is_signature'))}</p>
<div id="pad" hidden>
<p class="hint">${lines(say.each('draw_signature'))}</p>
<canvas width="900" height="300" role="img" aria-label="${escapeHtml(say('drawing_field'))}"></canvas>
<button type="button" class="plain">${escapeHtml(say('clear_drawing'))}</button>
<input type="hidden" name="drawn">
</div>
<label class="check"><input type="checkbox" name="accept_terms" value="true" required${terms}>
<span>${lines(say.each('accept_terms'))}</span></label>
${errors?.accept_terms ? `<p class="error" id="accept_terms_error">${escapeHtml(say('accept_terms_missing'))}</p>` : ''}
<input type="hidden" name="document_sha256" value="${document_sha256}">
<button>${escapeHtml(say('accept_and_sign'))}</button>
</form>
<p class="hint">${lines(about)}</p>
</section>`
}
