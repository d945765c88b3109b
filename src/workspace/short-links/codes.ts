/**
 * Codes of short links. A code is unique in the installation, across workspaces (SL-02): the row of `short_link_codes` reserves
 * it. A link in the trash still holds its code; purging releases it.
 */
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

/** Paths with another meaning on one of the hosts, and names that could be mistaken for ours. */
const RESERVED = new Set(
  `about abuse accept account admin api app apps assets auth billing blog central contact dashboard docs download email favicon files health
  healthz help home index internal invite invoices legal links login logout mail me metrics oauth openapi payments platform pricing privacy
  public r readyz register robots security settings short-links signin signup sitemap static stats status support system tenant terms
  webhooks well-known workspace www`.split(/\s+/),
)

/**
 * Redirects treat such a text as a link's uuid before they treat it as a code (SL-25), so the code would lead to another link.
 */
const LIKE_UUIDS = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Schema of a custom code: 3 to 64 lowercase letters, digits and hyphens. An empty one counts as none. */
export const customCode = () =>
  z
    .string()
    .max(64, 'Must be at most 64 characters.')
    .transform((code) => (code === '' ? null : code))
    .pipe(
      z
        .string()
        .regex(/^[a-z0-9-]{3,64}$/, { error: 'Must be 3 to 64 lowercase letters, digits and hyphens.', abort: true })
        .refine((code) => !RESERVED.has(code), 'This code is reserved.')
        .refine((code) => !LIKE_UUIDS.test(code), 'Must not have the form of a uuid, which would lead to the link that has it.')
        .nullable(),
    )
    .nullish()

/** Reserves the wanted code, 422 where it is taken; or else a random one of 7 characters (SL-03). */
export async function takeCode(ctx: Ctx, wanted: string | null | undefined): Promise<string> {
  if (!wanted) return takeAny(ctx)
  if (!(await claim(ctx, wanted))) throw invalid({ code: 'Another short link has this code.' })
  return wanted
}

/** 14 thousand million codes: a collision is rare, ten in a row do not happen. */
async function takeAny(ctx: Ctx, tries = 10): Promise<string> {
  const code = drawCode()
  if (await claim(ctx, code)) return code
  if (tries === 0) throw new Error('No free code was found')
  return takeAny(ctx, tries - 1)
}

/** A concurrent claim of the same code waits for the first one's transaction. */
async function claim(ctx: Ctx, code: string): Promise<boolean> {
  const claimed = await ctx.tx
    .insertInto('short_link_codes')
    .values({ code, tenant_id: ctx.tenant.id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('code')
    .executeTakeFirst()
  return claimed !== undefined
}

/** No letters that look like a digit or each other, and no vowels, so that codes form no words. */
const LETTERS = 'bcdfghjkmnpqrstvwxyz23456789'
const LENGTH = 7

const drawCode = () => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

export const releaseCode = (ctx: Ctx, code: string) => ctx.deleteFrom('short_link_codes').where('code', '=', code).execute()
