/** The workspace's logo. A former one stays as long as documents were issued with it. */
import type { Ctx } from '#kernel/context.ts'
import { discardFile } from '#kernel/storage/uploads.ts'

/** Until the transaction ends, the logo isn't replaced: what was just printed with it can say that it is in use. */
export const keepLogoInUse = async (ctx: Ctx) => {
  await ctx.tx.selectFrom('tenants').select('id').where('id', '=', ctx.tenant.id).forShare().execute()
}

/** Makes a kept file of the workspace its logo, or takes the logo away (null). */
export async function replaceLogo(ctx: Ctx, key: string | null) {
  const former = await lockLogo(ctx)
  await ctx.tx.updateTable('tenants').set({ logo_path: key }).where('id', '=', ctx.tenant.id).execute()
  if (former) await discardUnprinted(ctx, former)
}

/** After a document with this logo is gone. */
export async function letGoOfLogo(ctx: Ctx, key: string) {
  if (key !== (await lockLogo(ctx))) await discardUnprinted(ctx, key)
}

async function lockLogo(ctx: Ctx) {
  const tenant = ctx.tx.selectFrom('tenants').select('logo_path').where('id', '=', ctx.tenant.id)
  return (await tenant.forNoKeyUpdate().executeTakeFirstOrThrow()).logo_path
}

async function discardUnprinted(ctx: Ctx, key: string) {
  const printed = ctx.from('issued_documents').select('subject_id').where('logo_key', '=', key).limit(1)
  if (!(await printed.executeTakeFirst())) await discardFile(ctx, key)
}
