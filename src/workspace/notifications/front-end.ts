/** Addresses of the front end, for links in mails and pages. */
import { isConsoleUsed } from '#kernel/config.ts'
import type { Ctx } from '#kernel/context.ts'
import { brandedAddress } from '#workspace/branded/public.ts'

/**
 * Returns the workspace's address in the front end, without a trailing slash: the console's, at the workspace's own host where it
 * has one, or below APP_URL.
 */
export const frontEndOf = async (ctx: Ctx) =>
  isConsoleUsed(ctx.services.config) ? `${await brandedAddress(ctx)}/w/${ctx.tenant.slug}` : ctx.services.config.APP_URL

export const preferencesAddress = async (ctx: Ctx) => `${await frontEndOf(ctx)}/notifications/preferences`
