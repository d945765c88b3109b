/** POST /status: the same paths as the named routes, each under its own permission (PO-33 … PO-36). */
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { permissionFor, type Status } from './lifecycle.ts'
import { cancel, type Order, send } from './orders.ts'
import { receive } from './receiving.ts'

export async function moveTo(ctx: Ctx, order: Order, status: Status) {
  ctx.require(permissionFor[status])
  switch (status) {
    case 'sent':
      return send(ctx, order)
    case 'partially_received':
    case 'received':
      return receive(ctx, order, { status })
    case 'cancelled':
      return cancel(ctx, order)
    case 'draft':
      throw invalid({ status: 'A purchase order cannot go back to draft.' })
  }
}
