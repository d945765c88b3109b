/** The pictures of the platform (SET-03, SET-04): judged by their bytes, kept under the setting that names their file. */
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

/** An SVG is a document that may hold scripts: it is taken for none of these. */
export const brandingUpload: UploadRule = {
  maxBytes: 8 * MB,
  kinds: ['png', 'jpg', 'webp', 'ico'],
  expected: 'a PNG, JPEG or WebP picture, or an icon',
  tooLarge: 422,
}

/** A form with nothing but the file. */
export const BrandingForm = z.object({})

export const BrandingAsset = z
  .object({
    asset: choice(names).describe('Which picture it is.'),
    path: z.string().meta({ description: 'Where it is stored.', examples: ['0/ab/logo.png'] }),
    url: formatted('uri'),
  })
  .meta({ id: 'BrandingAsset' })

/** Makes an uploaded picture the asset; the former one goes when that is committed. 404 for an asset that there isn't. */
export async function brand(ctx: PlatformCtx, name: string, file: Upload | undefined): Promise<z.input<typeof BrandingAsset>> {
  if (!Object.hasOwn(assets, name)) throw notFound('There is no such picture.')
  const asset = name as keyof typeof assets
  const { setting, most } = assets[asset]
  if (!file) throw invalid({ file: 'Is required.' })
  if (file.bytes > most * MB) throw invalid({ file: `Must be at most ${most} MB.` })
  if (file.kind === 'ico' && asset !== 'favicon') throw invalid({ file: 'Must be a PNG, JPEG or WebP picture.' })
  await keepUpload(ctx, file)
  // One after the other: of two uploads at once, the second must find the first one's file.
  await sql`select pg_advisory_xact_lock(hashtext(${`platform_settings.${setting}`}))`.execute(ctx.tx)
  const former = await platformSetting(ctx, setting)
  await storePlatformSettings(ctx, { [setting]: file.key })
  if (former) await discardFile(ctx, former)
  await audit(ctx, 'system_settings_updated', { keys: [setting] })
  return { asset, path: file.key, url: ctx.services.storage.url(file.key) }
}
