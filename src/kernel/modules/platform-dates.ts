/** Date and time formats (SET-07) of the platform's own mails: invitations, test mails, bounce messages. */
import type { BaseCtx } from '../context.ts'
import { written } from '../values/written.ts'
import { readPlatformSettings } from './platform-settings.ts'

/** Timezone and language of the reader. Default: the platform's. */
interface Reader {
  timezone: string
  locale: string
}

/** Formats the date of an instant. */
export async function writtenDate(ctx: BaseCtx, instant: string, reader?: Reader): Promise<string> {
  const { date_format: pattern, ...house } = await readPlatformSettings(ctx, ['date_format', 'timezone', 'locale'])
  return written(instant, { ...(reader ?? house), pattern })
}

/** Formats the date and time of an instant, followed by the timezone. */
export async function writtenInstant(ctx: BaseCtx, instant: string, reader?: Reader): Promise<string> {
  const { time_format: pattern, ...house } = await readPlatformSettings(ctx, ['time_format', 'timezone', 'locale'])
  const { timezone, locale } = reader ?? house
  return `${await writtenDate(ctx, instant, reader)} ${written(instant, { timezone, locale, pattern })} (${timezone})`
}
