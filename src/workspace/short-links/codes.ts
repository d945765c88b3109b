/**
 * Codes: what a short address ends in. No two links of the installation have the same, in whichever workspaces they are (SL-02): whoever
 * has a row of `short_link_codes` has the code. A link in the trash keeps its code; one that is deleted for good frees it.
 */
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'

/** Paths that mean something else on one host or another, and names that would pass for ours. */
const RESERVED = new Set(
  `about abuse accept account admin api app apps assets auth billing blog central contact dashboard docs download email favicon files health
  healthz help home index internal invite invoices legal links login logout mail me metrics oauth openapi payments platform pricing privacy
  public r readyz register robots security settings short-links signin signup sitemap static stats status support system tenant terms
  webhooks well-known workspace www`.split(/\s+/),
)

/** Redirects take what looks so for a link's uuid before they take it for a code (SL-25): it would lead to somebody else's link. */
const LIKE_UUIDS = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A code that somebody chose: 3 to 64 lowercase letters, digits and hyphens. An empty one counts as none. */
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

/** The code that was asked for, 422 where it is taken; else one of 7 characters (SL-03). */
export async function takeCode(ctx: Ctx, wanted: string | null | undefined): Promise<string> {
  if (!wanted) return takeAny(ctx)
  if (!(await claim(ctx, wanted))) throw invalid({ code: 'Another short link has this code.' })
  return wanted
}

/** 14 thousand million codes: that one is taken is rare, that ten in a row are does not happen. */
async function takeAny(ctx: Ctx, tries = 10): Promise<string> {
  const code = drawCode()
  if (await claim(ctx, code)) return code
  if (tries === 0) throw new Error('No free code was found')
  return takeAny(ctx, tries - 1)
}

/** Whoever comes second waits for the first one's transaction to end. */
async function claim(ctx: Ctx, code: string): Promise<boolean> {
  const claimed = await ctx.tx
    .insertInto('short_link_codes')
    .values({ code, tenant_id: ctx.tenant.id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('code')
    .executeTakeFirst()
  return claimed !== undefined
}

/** No letters that look like a digit or each other, and no vowels, so that no words come about. */
const LETTERS = 'bcdfghjkmnpqrstvwxyz23456789'
const LENGTH = 7

const drawCode = () => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

export const releaseCode = (ctx: Ctx, code: string) => ctx.deleteFrom('short_link_codes').where('code', '=', code).execute()
