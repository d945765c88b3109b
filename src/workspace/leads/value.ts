/** What a lead is worth, in the workspace's currency. */
import type { Ctx } from '#kernel/context.ts'
import { refuseFractions } from '#kernel/values/money.ts'

interface Valued {
  lead_value?: string | null
  estimated_value?: string | null
}

/** The value that was sent, by its older name too (LEAD-04). 422 on either with more decimals than the currency has. */
export function leadValue(ctx: Ctx, { lead_value, estimated_value }: Valued) {
  refuseFractions(ctx.tenant.currency, { lead_value, estimated_value })
  return lead_value === undefined ? estimated_value : lead_value
}
