/** The invoice over a contract's value: one line with its title and value. */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { conversionGuard, convertToInvoice } from '#workspace/billing-documents/public.ts'
import { createDraftInvoice } from '#workspace/invoices/public.ts'
import { type ContractRow, contracts } from './contracts.ts'

const refuseConversion = conversionGuard(contracts, ['active'])

/** The checks of `convertToInvoice`, and 422 on `value` if the contract has none. */
export function refuseInvoicing(ctx: Ctx, contract: ContractRow) {
  refuseConversion(ctx, contract)
  if (contract.value === null) throw invalid({ value: 'The contract names no value to invoice.' })
}

/** Creates the draft invoice and returns its id. */
export const invoice = (ctx: Ctx, contract: ContractRow) =>
  convertToInvoice(ctx, contracts, contract, async () => {
    const { id, title, value, currency, contact_id, company_id, assigned_to } = contract
    return createDraftInvoice(ctx, {
      ...{ title, currency, contact_id, company_id, assigned_to, contract_id: id },
      line_discount_type: 'none',
      tax_rounding: await ctx.setting('tax_rounding'),
      notes: null,
      terms_and_conditions: null,
      lines: [{ name: title, quantity: '1', unit_price: value!, tax_rate: '0' }],
    })
  })
