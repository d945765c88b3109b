/** Branding of the platform (SET-09), for its mails and pages. */
import type { BaseCtx } from '../context.ts'
import { readPlatformSettings } from './platform-settings.ts'

/** Branding of a page or mail. */
export interface Brand {
  /** Name of the workspace or of the platform. */
  name?: string
  /** A colour such as #1f4f82. */
  accent?: string
  logoUrl?: string | null
  iconUrl?: string | null
  /** Contact address for help. */
  supportEmail?: string | null
}

/** Reads the platform's branding from its settings. */
export async function platformBrand(ctx: BaseCtx): Promise<Brand & { name: string }> {
  const settings = await readPlatformSettings(ctx, ['app_name', 'button_color', 'logo_path', 'favicon_path', 'support_email'])
  const url = (path: string | null) => path && ctx.services.storage.url(path)
  return {
    name: settings.app_name,
    accent: settings.button_color,
    logoUrl: url(settings.logo_path),
    iconUrl: url(settings.favicon_path),
    supportEmail: settings.support_email,
  }
}

/** Returns the URL of the platform's picture for an authentication page; null if there is none. */
export async function authImage(ctx: BaseCtx, page: 'register' | 'reset_password' | 'email_verify'): Promise<string | null> {
  const key = `auth_image_${page}_path` as const
  const path = (await readPlatformSettings(ctx, [key]))[key]
  return path && ctx.services.storage.url(path)
}
