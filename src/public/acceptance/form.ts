/** The page's form: it works without JavaScript, and comes back with what was typed when something is wrong. */
import { z } from 'zod'
import type { PublicSteps } from '#kernel/context.ts'
import { HttpError } from '#kernel/errors.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { parse } from '#kernel/http/input.ts'
import { type Acceptable, AcceptDocument, acceptByLink, readByLink } from '#workspace/acceptance/public.ts'
import { offerPage, thanksPage } from './page.ts'

/** A form's fields are texts, and judged as the JSON that they stand for. */
export const SignForm = z.object({
  signer_name: z.string().max(1000).default(''),
  signer_email: z.string().max(1000).default(''),
  accept_terms: z.string().max(10).optional(),
  drawn: z.string().max(300_000).optional(),
  document_sha256: z.string().max(64).optional(),
})
export type SignForm = z.output<typeof SignForm>

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
