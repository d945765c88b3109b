/** Pictures of the platform (SET-03, SET-04): validated by their content, stored under the setting with their file. */
import { sql } from 'kysely'
import { z } from 'zod'
import type { PlatformCtx } from '#kernel/context.ts'
import { invalid, notFound } from '#kernel/errors.ts'
import { platformSetting, storePlatformSettings } from '#kernel/modules/platform-settings.ts'
import { discardFile, keepUpload, type Upload, type UploadRule } from '#kernel/storage/uploads.ts'
import { audit } from '#kernel/tenancy/audit.ts'
import { choice, formatted } from '#kernel/values/fields.ts'

const MB = 1024 * 1024
const assets = {
  logo: { setting: 'logo_path', most: 2 },
  favicon: { setting: 'favicon_path', most: 2 },
  'auth-image-login': { setting: 'auth_image_login_path', most: 8 },
  'auth-image-register': { setting: 'auth_image_register_path', most: 8 },
  'auth-image-forgot-password': { setting: 'auth_image_forgot_password_path', most: 8 },
  'auth-image-reset-password': { setting: 'auth_image_reset_password_path', most: 8 },
  'auth-image-email-verify': { setting: 'auth_image_email_verify_path', most: 8 },
} as const
const names = Object.keys(assets) as [keyof typeof assets]

/** SVG isn't accepted: it may contain scripts. */
export const brandingUpload: UploadRule = {
  maxBytes: 8 * MB,
  kinds: ['png', 'jpg', 'webp', 'ico'],
  expected: 'a PNG, JPEG or WebP picture, or an icon',
  tooLarge: 422,
}

/** Form with only the file. */
export const BrandingForm = z.object({})

export const BrandingAsset = z
  .object({
    asset: choice(names).describe('Which picture it is.'),
    path: z.string().meta({ description: 'Where it is stored.', examples: ['0/ab/logo.png'] }),
    url: formatted('uri'),
  })
  .meta({ id: 'BrandingAsset' })

/** Replaces an asset by an uploaded picture. The former file is deleted after the commit. 404 for an unknown asset. */
export async function brand(ctx: PlatformCtx, name: string, file: Upload | undefined): Promise<z.input<typeof BrandingAsset>> {
  if (!Object.hasOwn(assets, name)) throw notFound('There is no such picture.')
  const asset = name as keyof typeof assets
  const { setting, most } = assets[asset]
  if (!file) throw invalid({ file: 'Is required.' })
  if (file.bytes > most * MB) throw invalid({ file: `Must be at most ${most} MB.` })
  if (file.kind === 'ico' && asset !== 'favicon') throw invalid({ file: 'Must be a PNG, JPEG or WebP picture.' })
  await keepUpload(ctx, file)
  // Serialises uploads: the second of two must find the file of the first.
  await sql`select pg_advisory_xact_lock(hashtext(${`platform_settings.${setting}`}))`.execute(ctx.tx)
  const former = await platformSetting(ctx, setting)
  await storePlatformSettings(ctx, { [setting]: file.key })
  if (former) await discardFile(ctx, former)
  await audit(ctx, 'system_settings_updated', { keys: [setting] })
  return { asset, path: file.key, url: ctx.services.storage.url(file.key) }
}
