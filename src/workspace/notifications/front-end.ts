/** Where people work, as mails and pages link to it. */
import { isConsoleUsed } from '#kernel/config.ts'
import type { Ctx } from '#kernel/context.ts'
import { brandedAddress } from '#workspace/branded/public.ts'

/** Address of the workspace in the front end, without a slash at its end: the console's, at the workspace's own host where it has one, or below APP_URL. */
export const frontEndOf = async (ctx: Ctx) =>
  isConsoleUsed(ctx.services.config) ? `${await brandedAddress(ctx)}/w/${ctx.tenant.slug}` : ctx.services.config.APP_URL

export const preferencesAddress = async (ctx: Ctx) => `${await frontEndOf(ctx)}/notifications/preferences`
