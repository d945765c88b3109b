/** Finds or creates the contact of a person. */
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '#kernel/context.ts'
import { contacts } from './contacts.ts'

interface Person {
  name: string
  email: string | null
  phone: string | null
  job_title: string | null
  company: string | null
  company_id: number | null
  assigned_to: number | null
}

/**
 * Returns the contact of a person: the first that the actor sees with their e-mail address, else with their phone number in
 * E.164, else a new one (LEAD-51). 403 if it would have to be created and the actor may not create contacts. The second of two
 * simultaneous requests finds the contact created by the first.
 */
export async function contactOf(ctx: Ctx, person: Person): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended('contacts by person', ${ctx.tenant.id}))`.execute(ctx.tx)
  const { name, email, phone, job_title, company, company_id, assigned_to } = person
  const known =
    (email === null ? undefined : await findContact(ctx, sql`email = ${email}`)) ??
    (phone === null ? undefined : await findContact(ctx, sql`phone_e164 = app.e164(${phone})`))
  if (known !== undefined) return known
  ctx.require('contacts.create')
  return (await contacts.insert(ctx, { name, email, phone, job_title, company, company_id, assigned_to })).id
}

async function findContact(ctx: Ctx, condition: RawBuilder<unknown>): Promise<number | undefined> {
  if (!ctx.can('contacts.view')) return undefined
  const { rows } = await sql<{ id: number }>`
    select id from contacts
    where tenant_id = ${ctx.tenant.id} and ${condition} and deleted_at is null and ${contacts.scope(ctx) ?? sql`true`}
    order by id limit 1`.execute(ctx.tx)
  return rows[0]?.id
}
