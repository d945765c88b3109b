/** Retry delay of messages that the server defers. Times in seconds. */
import type { Ctx } from '#kernel/context.ts'
import type { MessageRow } from '../messages/messages.ts'

const LONGEST = 6 * 3600
/** Time since the user sent the message after which a failing try is the last one. */
const TRIED_FOR = 24 * 3600

/** Returns the time it has been tried for, within the shortest and longest pause; undefined if a day has passed. */
export function pauseBefore(ctx: Ctx, { date }: MessageRow, shortest: number): number | undefined {
  const triedFor = (Date.parse(ctx.now) - Date.parse(date)) / 1000
  return triedFor >= TRIED_FOR ? undefined : Math.ceil(Math.min(Math.max(triedFor, shortest), LONGEST))
}
