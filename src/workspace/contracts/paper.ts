/** A contract on paper, printed and mailed. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { acceptablePdf, emailAcceptable } from '#workspace/acceptance/public.ts'
import type { EmailDocument } from '#workspace/billing-documents/public.ts'
import type { ContractRow } from './contracts.ts'
import { acceptableContract } from './moving.ts'

export const pdf = (ctx: Ctx, contract: ContractRow) => acceptablePdf(ctx, acceptableContract, contract)

export const email = (ctx: Ctx, contract: ContractRow, body: z.output<typeof EmailDocument>) =>
  emailAcceptable(ctx, acceptableContract, ['sent', 'active'], contract, body)
