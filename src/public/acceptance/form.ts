/** The page's form: it works without JavaScript, and comes back with what was typed when something is wrong. */
import type { PublicSteps } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { parse } from '#kernel/http/input.ts'
import { type Acceptable, AcceptDocument, acceptByLink, readByLink } from '#workspace/acceptance/public.ts'
import { offerPage, type SignForm, thanksPage } from './page.ts'

export async function acceptByForm(steps: PublicSteps, offered: Acceptable, token: string, form: SignForm): Promise<Answer> {
  try {
    const { signer_name, signer_email, document_sha256, drawn } = form
    const sent = parse(AcceptDocument, {
      ...{ signer_name, signer_email, document_sha256 },
      accept_terms: form.accept_terms === 'true',
      ...(drawn ? { signature: { type: 'drawn', value: drawn } } : {}),
    })
    const { branding } = await steps.read((ctx) => readByLink(ctx, offered, token))
    return thanksPage(await acceptByLink(steps, offered, token, sent), branding)
  } catch (error) {
    if (!(error instanceof HttpError && error.status === 422)) throw error
    return offerPage(steps, offered, token, { ...form, errors: error.errors ?? {} })
  }
}
