/** How the platform writes instants (SET-07) in its own mails, such as test mails and letters about bounces. */
import type { BaseCtx } from '../context.ts'
import { written } from '../values/written.ts'
import { readPlatformSettings } from './platform-settings.ts'

/** Date and time of an instant: for a workspace in its timezone and language, else in those of the platform. */
export async function writtenInstant(
  ctx: BaseCtx,
  instant: string,
  reader?: { timezone: string; locale: string },
): Promise<string> {
  const settings = await readPlatformSettings(ctx, ['date_format', 'time_format', 'timezone', 'locale'])
  const { timezone, locale } = reader ?? settings
  const pattern = `${settings.date_format} ${settings.time_format}`
  return `${written(instant, { pattern, timezone, locale })} (${timezone})`
}
