/** Signatures count once: one that comes again is a replay. They are remembered for longer than they are valid. */
import type { Ctx } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { plusSeconds } from '#kernel/values/time.ts'

/** Five minutes before and after the signed time, and room for clocks. */
const REMEMBERED_SECONDS = 3600

/** 409 for a signature that was used. Of two calls at once the second waits until the first has ended. */
export async function useUp(ctx: Ctx, endpoint_id: number, signature: string) {
  const { numInsertedOrUpdatedRows } = await ctx.tx
    .insertInto('lead_webhook_signatures')
    .values({ tenant_id: ctx.tenant.id, endpoint_id, signature, created_at: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (!numInsertedOrUpdatedRows) throw conflict('This signature was used already: sign each call with the time of its own.')
}

export const sweepSignatures = (ctx: Ctx) =>
  ctx.tx
    .deleteFrom('lead_webhook_signatures')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('created_at', '<', plusSeconds(ctx.now, -REMEMBERED_SECONDS))
    .execute()
