/** Form of the page. It works without JavaScript, and is shown again with the entered values if something is invalid. */
import type { PublicSteps } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { parse } from '#kernel/http/input.ts'
import { type Acceptable, AcceptDocument, acceptByLink, signedByLink } from '#workspace/acceptance/public.ts'
import { acceptedPage, offerPage, type SignForm, thanksPage } from './page.ts'

/**
 * Accepts the submitted form. Returns a page: thanks, the document that was already signed (409), or the form with its errors
 * (422).
 */
export async function acceptByForm(steps: PublicSteps, offered: Acceptable, token: string, form: SignForm): Promise<Answer> {
  try {
    const { signer_name, signer_email, document_sha256, drawn } = form
    const sent = parse(AcceptDocument, {
      ...{ signer_name, signer_email, document_sha256 },
      accept_terms: form.accept_terms === 'true',
      ...(drawn ? { signature: { type: 'drawn', value: drawn } } : {}),
    })
    const { signer_email: address } = await acceptByLink(steps, offered, token, sent)
    return thanksPage(await signedFor(steps, offered, token), address)
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    // Submitted twice, or by two people: it is already signed.
    if (error.status === 404) return acceptedPage(await signedFor(steps, offered, token), 409)
    if (error.status !== 422) throw error
    return offerPage(steps, offered, token, { ...form, errors: error.errors ?? {} })
  }
}

/** Returns the page of a link: the form to accept or, after acceptance, the signed document. */
export async function linkPage(steps: PublicSteps, offered: Acceptable, token: string): Promise<Answer> {
  try {
    return await offerPage(steps, offered, token)
  } catch (error) {
    if (!(error instanceof HttpError && error.status === 404)) throw error
    return acceptedPage(await signedFor(steps, offered, token))
  }
}

const signedFor = async (steps: PublicSteps, offered: Acceptable, token: string) => ({
  signed: await steps.read((ctx) => signedByLink(ctx, offered, token)),
  pdf: `/accept/${offered.of.module}/${token}/pdf`,
})
