/** A contract on paper, printed and mailed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { issueLink, paperOf } from '#workspace/acceptance/public.ts'
import { customerPdf, type EmailDocument, emailOffer } from '#workspace/billing-documents/public.ts'
import { type ContractRow, contracts } from './contracts.ts'
import { acceptableContract } from './moving.ts'

/** A signed one prints what was signed. */
export async function pdf(ctx: Ctx, contract: ContractRow) {
  const { document, signed } = await paperOf(ctx, acceptableContract, contract.id)
  return customerPdf(ctx, document, contract.status, signed)
}

const MAILABLE = ['sent', 'active']

/** Queues a mail, by default to the contact, else to the company. As long as the signature is awaited it carries an acceptance link. */
export async function email(ctx: Ctx, contract: ContractRow, body: z.output<typeof EmailDocument>) {
  const { status } = contract
  if (!MAILABLE.includes(status)) throw invalid({ status: `Only sent and active contracts are mailed; this one is ${status}.` })
  const link = status === 'sent' ? await issueLink(ctx, acceptableContract, contract) : undefined
  const { document, signed } = await paperOf(ctx, acceptableContract, contract.id)
  const drawing = await customerPdf(ctx, document, status, signed)
  return emailOffer(ctx, contracts, contract, { type: 'contract.emailed', document, pdf: drawing, link }, body)
}
