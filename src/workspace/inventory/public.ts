/** Inventory functions for other modules. */
import type { Ctx } from '#kernel/context.ts'

export { type Movement, postStock } from './ledger.ts'

/** Whether this workspace keeps stock (PO-29). */
export const stockIsOn = (ctx: Ctx) => ctx.entitled('products') && ctx.entitled('inventory')
