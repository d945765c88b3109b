/** Transitions of a contract: sent, signed by the customer or accepted by staff, and ended. Also prints and mails it. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { emit } from '#kernel/modules/events.ts'
import { readByIds } from '#kernel/records/view.ts'
import {
  type Acceptable,
  acceptablePdf,
  emailAcceptable,
  endLinks,
  openToAcceptance,
  refuseMailingAcceptable,
} from '#workspace/acceptance/public.ts'
import { type EmailDocument, offerPapers, refuseOver } from '#workspace/billing-documents/public.ts'
import { issue } from '#workspace/issued-documents/public.ts'
import { type ContractRow, contracts } from './contracts.ts'
import { lifecycle } from './lifecycle.ts'
import { PrintedContract } from './schema.ts'

/** Contracts as documents that customers accept by a link. */
export const acceptableContract: Acceptable = {
  of: contracts,
  lastDay: 'ends_on',
  papers: async (ctx, ids) => offerPapers(ctx, 'contract', await readByIds(ctx, PrintedContract, 'contracts', ids)),
  async accepted(ctx, contract: ContractRow) {
    await accept(ctx, contract)
    await emit(ctx, 'contract.signed', { contract_id: contract.id })
  },
}

/** 422 on `status` if it isn't a draft, on `ends_on` if that has passed. */
export function refuseSending(ctx: Ctx, contract: ContractRow) {
  lifecycle.check('send', contract.status)
  refuseOver(ctx, contract, acceptableContract.lastDay)
}

/** draft → sent, with an acceptance link (ACC-04). Sends no mail. 422 on `ends_on` if that has passed. */
export async function send(ctx: Ctx, contract: ContractRow) {
  const sent = await lifecycle.move(ctx, contracts, contract, 'send', { issued_on: ctx.today() })
  await openToAcceptance(ctx, acceptableContract, sent)
  await emit(ctx, 'contract.sent', { contract_id: sent.id })
}

/** sent → active (ACC-05, ACC-06). */
export const accept = (ctx: Ctx, contract: ContractRow) => begin(ctx, contract, 'accept')

/** draft → active, without a signature (ACC-07). */
export const activate = (ctx: Ctx, contract: ContractRow) => begin(ctx, contract, 'activate')

async function begin(ctx: Ctx, contract: ContractRow, move: 'accept' | 'activate') {
  await lifecycle.move(ctx, contracts, contract, move, { issued_on: contract.issued_on ?? ctx.today() })
  if (move === 'activate') await issue(ctx, acceptableContract, [contract.id])
  await endLinks(ctx, 'contracts', contract.id)
  await emit(ctx, 'contract.activated', { contract_id: contract.id })
}

/** sent or active → expired: an unsigned contract can no longer be signed. */
export async function expire(ctx: Ctx, contract: ContractRow) {
  await lifecycle.move(ctx, contracts, contract, 'expire')
  await endLinks(ctx, 'contracts', contract.id)
  await emit(ctx, 'contract.expired', { contract_id: contract.id })
}

/** draft, sent or active → terminated; ends its acceptance links. */
export async function terminate(ctx: Ctx, contract: ContractRow) {
  await lifecycle.move(ctx, contracts, contract, 'terminate')
  await endLinks(ctx, 'contracts', contract.id)
  await emit(ctx, 'contract.terminated', { contract_id: contract.id })
}

export const pdf = (ctx: Ctx, contract: ContractRow) => acceptablePdf(ctx, acceptableContract, contract)

/** 422 on `status` of a contract that is neither sent nor active, and of an unaccepted one whose last day has passed. */
export const refuseMailing = (ctx: Ctx, contract: ContractRow) =>
  refuseMailingAcceptable(ctx, acceptableContract, ['sent', 'active'], contract)

export const email = (ctx: Ctx, contract: ContractRow, body: z.output<typeof EmailDocument>) =>
  emailAcceptable(ctx, acceptableContract, contract, body)
