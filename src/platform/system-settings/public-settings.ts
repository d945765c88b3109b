/** Public settings for clients' pages before sign-in. */
import { z } from 'zod'
import type { PublicCtx } from '#kernel/context.ts'
import { isKeptBy } from '#kernel/mail/transport.ts'
import { describedAs, type PlatformSetting, platformSettings } from '#kernel/modules/declared-settings.ts'
import { readPlatformSettings } from '#kernel/modules/platform-settings.ts'
import { formatted } from '#kernel/values/fields.ts'

const keys = [
  'app_name',
  'company_name',
  'timezone',
  'locale',
  'currency',
  'registration_enabled',
  'founding_beta_enabled',
  'founding_beta_apply_url',
  'founding_beta_invite_ttl_days',
  'date_format',
  'time_format',
  'button_color',
  'support_email',
  'password_min_length',
  'password_require_special',
  'maintenance_mode',
  'maintenance_message',
  'maintenance_eta',
] as const

const images = [
  'logo',
  'favicon',
  'auth_image_login',
  'auth_image_register',
  'auth_image_forgot_password',
  'auth_image_reset_password',
  'auth_image_email_verify',
] as const
const pathOf = (image: (typeof images)[number]) => `${image}_path` as const

type Plain = { [K in (typeof keys)[number]]: (typeof platformSettings)[K]['schema'] }
type Urls = { [I in (typeof images)[number] as `${I}_url`]: z.ZodNullable<z.ZodString> }

export const PublicSettings = z
  .object({
    ...(Object.fromEntries(
      keys.map((key) => {
        const setting: PlatformSetting = platformSettings[key]
        return [key, (setting.schema as z.ZodType).meta({ title: setting.title, description: describedAs(setting) })]
      }),
    ) as Plain),
    ...(Object.fromEntries(images.map((image) => [`${image}_url`, formatted('uri').nullable()])) as unknown as Urls),
    is_mail_delivered: z
      .boolean()
      .describe(
        'Whether mails leave the installation; false: no mail server is set up, and whoever runs it reads them in the log.',
      ),
  })
  .meta({ id: 'PublicSettings' })

/** Returns the settings that anybody may read, with links to the images. */
export async function showPublicSettings(ctx: PublicCtx): Promise<z.input<typeof PublicSettings>> {
  const paths = images.map(pathOf)
  const { mail_provider, ...settings } = await readPlatformSettings(ctx, [...keys, ...paths, 'mail_provider'])
  const url = (path: string | null) => path && ctx.services.storage.url(path)
  const urls = Object.fromEntries(images.map((image) => [`${image}_url`, url(settings[pathOf(image)])]))
  return { ...settings, ...urls, is_mail_delivered: !isKeptBy({ mail_provider }, ctx.services) } as never
}
