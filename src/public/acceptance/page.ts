/** The pages that a customer sees: the document with the form to sign it, and the thanks. */
import { z } from 'zod'
import type { PublicSteps } from '#kernel/context.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { sanitizedTexts } from '#kernel/http/formatted-texts.ts'
import { page } from '#kernel/http/page.ts'
import { escapeHtml } from '#kernel/values/escape-html.ts'
import { capital } from '#kernel/values/words.ts'
import { type Acceptable, type AcceptedDocument, type OfferedDocument, shownByLink } from '#workspace/acceptance/public.ts'
import { documentHtml } from './document.ts'
import { script, styles } from './page-assets.ts'

/** A form's fields are texts, and judged as the JSON that they stand for. */
export const SignForm = z.object({
  signer_name: z.string().max(1000).default(''),
  signer_email: z.string().max(1000).default(''),
  accept_terms: z.string().max(10).optional(),
  drawn: z.string().max(300_000).optional(),
  document_sha256: z.string().max(64).optional(),
})
export type SignForm = z.output<typeof SignForm>

/** What the form was sent with, and what is wrong with it. */
type Refused = Partial<SignForm> & { errors?: Record<string, string[]> }

/** The page of an outstanding link, 404 of any other; a 422 when the form comes back with errors. */
export async function offerPage(steps: PublicSteps, offered: Acceptable, token: string, refused: Refused = {}): Promise<Answer> {
  const { shown, workspace } = await steps.read((ctx) => shownByLink(ctx, offered, token))
  const { body, notes, terms_and_conditions, lines } = shown
  const formatted = [body, notes, terms_and_conditions, ...lines.map((line) => line.body)].filter(
    (html) => typeof html === 'string',
  )
  const sanitized = await sanitizedTexts(steps.services, workspace, formatted)
  return branded(shown.branding, {
    title: `${capital(shown.type)} ${shown.number}`,
    body: `${documentHtml(shown, sanitized)}\n${formHtml(shown, refused)}`,
    script,
    status: refused.errors ? 422 : 200,
  })
}

export const thanksPage = (accepted: AcceptedDocument, branding: OfferedDocument['branding']): Answer => {
  const { number, title, signer_name, signed_at, document_sha256 } = accepted
  return branded(branding, {
    title: 'Thank you',
    body: `<p role="status">You have accepted ${escapeHtml(number)}, <bdi>${escapeHtml(title)}</bdi>.</p>
<dl>
<div><dt>Signed by</dt><dd><bdi>${escapeHtml(signer_name)}</bdi></dd></div>
<div><dt>On</dt><dd>${inWords(signed_at)}</dd></div>
<div class="wide"><dt>SHA-256 of what you have signed</dt><dd><code>${document_sha256}</code></dd></div>
</dl>`,
  })
}

const inWords = (instant: string) => `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`

function branded({ name, logo_url, accent, locale }: OfferedDocument['branding'], content: Parameters<typeof page>[0]): Answer {
  return page({ ...content, styles, brand: { name, logoUrl: logo_url, accent }, lang: locale })
}

function formHtml({ type, document_sha256, expires_at }: OfferedDocument, { errors, ...sent }: Refused) {
  const said = (field: string) => (errors?.[field] ?? []).map(escapeHtml).join(' ')
  const input = (field: 'signer_name' | 'signer_email', label: string, attributes: string) => {
    const wrong = said(field)
    const told = wrong ? ` aria-invalid="true" aria-describedby="${field}_error"` : ''
    return `<label>${label}<input name="${field}" value="${escapeHtml(sent[field] ?? '')}" ${attributes} required${told}></label>
${wrong ? `<p class="error" id="${field}_error">${wrong}</p>` : ''}`
  }
  const beside = ['document_sha256', 'signature.value', 'lines'].map(said).filter(Boolean).join(' ')
  const alert = errors ? `<p class="error" role="alert">${beside || 'Please look at what is marked below.'}</p>` : ''
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
<label class="check"><input type="checkbox" name="accept_terms" value="true" required>
<span>I accept this ${type} and its terms.</span></label>
${errors?.accept_terms ? '<p class="error">Tick this to accept.</p>' : ''}
<input type="hidden" name="document_sha256" value="${document_sha256}">
<button>Accept and sign</button>
</form>
<p class="hint">This link is for you alone, and good until ${inWords(expires_at)}. With your signature we keep your IP address, your browser’s name and the time.</p>
</section>`
}
