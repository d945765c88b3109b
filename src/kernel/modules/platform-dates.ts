/** How the platform writes dates and times (SET-07) in its own mails: invitations, test mails, letters about bounces. */
import type { BaseCtx } from '../context.ts'
import { written } from '../values/written.ts'
import { readPlatformSettings } from './platform-settings.ts'

/** Whose clock and language it is; the platform's own where nobody is given. */
interface Reader {
  timezone: string
  locale: string
}

/** The date of an instant. */
export async function writtenDate(ctx: BaseCtx, instant: string, reader?: Reader): Promise<string> {
  const { date_format: pattern, ...house } = await readPlatformSettings(ctx, ['date_format', 'timezone', 'locale'])
  return written(instant, { ...(reader ?? house), pattern })
}

/** Its date and time, and the timezone in which these are. */
export async function writtenInstant(ctx: BaseCtx, instant: string, reader?: Reader): Promise<string> {
  const { time_format: pattern, ...house } = await readPlatformSettings(ctx, ['time_format', 'timezone', 'locale'])
  const { timezone, locale } = reader ?? house
  return `${await writtenDate(ctx, instant, reader)} ${written(instant, { timezone, locale, pattern })} (${timezone})`
}
