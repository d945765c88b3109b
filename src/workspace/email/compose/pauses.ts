/** When a message that the server doesn't take yet is tried again. */
import type { Ctx } from '#kernel/context.ts'
import type { MessageRow } from '../messages/messages.ts'

const LONGEST = 6 * 3600
/** Since somebody sent it, by when a try that fails is the last one. In seconds. */
const TRIED_FOR = 24 * 3600

/** As long as it has been tried for, within these, in seconds; undefined: it has been tried for long enough. */
export function pauseBefore(ctx: Ctx, { date }: MessageRow, shortest: number): number | undefined {
  const triedFor = (Date.parse(ctx.now) - Date.parse(date)) / 1000
  return triedFor >= TRIED_FOR ? undefined : Math.ceil(Math.min(Math.max(triedFor, shortest), LONGEST))
}
