/** Finds or creates the company with a name. */
import { sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { companies } from './companies.ts'

/**
 * Returns the company with this name in any case: the first that the actor sees, else a new one (LEAD-52). 403 if it would have
 * to be created and the actor may not create companies. The second of two simultaneous requests finds the company created by the
 * first.
 */
export async function companyNamed(ctx: Ctx, name: string, { assigned_to }: { assigned_to: number | null }): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('companies by name', ${ctx.tenant.id}))`.execute(ctx.tx)
  const known = await findCompany(ctx, name)
  if (known !== undefined) return known
  ctx.require('companies.create')
  return (await companies.insert(ctx, { name, assigned_to })).id
}

async function findCompany(ctx: Ctx, name: string): Promise<number | undefined> {
  if (!ctx.can('companies.view')) return undefined
  const { rows } = await sql<{ id: number }>`
    select id from companies
    where tenant_id = ${ctx.tenant.id} and name_lower = lower(${name}) and deleted_at is null and ${companies.scope(ctx) ?? sql`true`}
    order by id limit 1`.execute(ctx.tx)
  return rows[0]?.id
}
