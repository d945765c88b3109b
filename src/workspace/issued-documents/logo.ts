/** The workspace's logo. A previous one is kept while issued documents use it. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { discardFile } from '#kernel/storage/uploads.ts'

/** Prevents replacing the logo until the transaction ends, so that a document printed with it can register its use. */
export const keepLogoInUse = async (ctx: Ctx) => {
  if (ctx.services.database.isCluster) await lockOnCluster(ctx, 'shared')
  else await ctx.tx.selectFrom('tenants').select('id').where('id', '=', ctx.tenant.id).forShare().execute()
}

/** Makes a stored file the workspace's logo, or removes the logo (null). */
export async function replaceLogo(ctx: Ctx, key: string | null) {
  const former = await lockLogo(ctx)
  await ctx.tx.updateTable('tenants').set({ logo_path: key }).where('id', '=', ctx.tenant.id).execute()
  if (former) await discardUnprinted(ctx, former)
}

/** Called after a document with this logo is deleted. */
export async function letGoOfLogo(ctx: Ctx, key: string) {
  if (key !== (await lockLogo(ctx))) await discardUnprinted(ctx, key)
}

async function lockLogo(ctx: Ctx) {
  if (ctx.services.database.isCluster) await lockOnCluster(ctx, 'alone')
  const tenant = ctx.tx.selectFrom('tenants').select('logo_path').where('id', '=', ctx.tenant.id)
  return (await tenant.forNoKeyUpdate().executeTakeFirstOrThrow()).logo_path
}

/** Locking a row of `tenants`, which every node of a cluster has a copy of, would block all other workspaces as well. */
const lockOnCluster = (ctx: Ctx, kind: 'shared' | 'alone') => {
  const key = sql`hashtextextended('logo', ${ctx.tenant.id})`
  return sql`select ${kind === 'shared' ? sql`pg_advisory_xact_lock_shared(${key})` : sql`pg_advisory_xact_lock(${key})`}`.execute(
    ctx.tx,
  )
}

async function discardUnprinted(ctx: Ctx, key: string) {
  const printed = ctx.from('issued_documents').select('subject_id').where('logo_key', '=', key).limit(1)
  if (!(await printed.executeTakeFirst())) await discardFile(ctx, key)
}
