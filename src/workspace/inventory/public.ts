/** What other modules may ask of inventory. */
import type { Ctx } from '#kernel/context.ts'

export { type Movement, postStock } from './ledger.ts'

/** Whether stock is kept in this workspace (PO-29). */
export const stockIsOn = (ctx: Ctx) => ctx.entitled('products') && ctx.entitled('inventory')
