/** Demo users and their roles. Everyone signs in with the owner's password. */
import { keepDirectory } from '#kernel/auth/directory.ts'
import type { Ctx } from '#kernel/context.ts'
import { foundedAt } from '#kernel/demo/calendar.ts'
import { addressAt } from '#kernel/demo/names.ts'
import { defineDemo, type Plan } from '#kernel/demo/parts.ts'
import { insertRecords } from '#kernel/demo/stories.ts'

const roles = [
  {
    en: ['buyer', 'Buys, and keeps vendors and products'],
    de: ['Einkauf', 'Bestellt und pflegt Lieferanten und Artikel'],
    may: /^(purchase-orders|vendors|products)\.|^(warehouses|inventory|users)\.view$/,
  },
  {
    en: ['storekeeper', 'Receives what was ordered and minds the stock'],
    de: ['Lager', 'Nimmt Lieferungen an und führt den Bestand'],
    may: /^(inventory|warehouses)\.|^purchase-orders\.(view|receive|assign)$|^products\.view$/,
  },
  {
    en: ['accountant', 'Books and pays expenses, looks after what is owed'],
    de: ['Buchhaltung', 'Bucht Ausgaben und behält offene Rechnungen im Blick'],
    may: /^(expenses|payments|credit-notes)\.|^purchase-orders\.(view|assign|convert)$|^(vendors|invoices|contacts|companies)\.view$/,
  },
  {
    en: ['sales', 'Looks after leads and customers, from the first call to the invoice'],
    de: ['Vertrieb', 'Betreut Interessenten und Kunden, vom ersten Anruf bis zur Rechnung'],
    may: /^(leads|opportunities|contacts|companies|quotations|estimates|projects|tasks)\.|^(invoices|contracts|products|users)\.view$/,
  },
] as const

/** Index of a former user, who can't sign in any more. */
const GONE = 5

export default defineDemo({
  first: true,
  async fill(ctx, plan) {
    const owner = await ctx
      .from('users')
      .select(['id', 'email', 'password_hash'])
      .where('is_owner', '=', true)
      .executeTakeFirstOrThrow()
    const made = await makeRoles(ctx, plan)
    const count = plan.share(1 / 2000, { least: 7, most: 60 })
    const ids = await insertRecords(ctx, 'users', colleaguesOf(plan, owner, count))
    await keepDirectory(ctx, ctx.tenant.id, ids)
    await ctx.tx
      .insertInto('user_roles')
      .values(ids.map((user_id, n) => ({ tenant_id: ctx.tenant.id, user_id, role_id: (made[n] ?? plan.random.pick(made)).id })))
      .execute()
    return count
  },
})

function makeRoles(ctx: Ctx, plan: Plan) {
  const permissions = ctx.services.modules.permissions('workspace').map(({ name }) => name)
  const at = plan.calendar.instant(0)!
  const rows = roles.map(({ may, ...texts }) => {
    const [name, description] = plan.say<readonly [string, string]>(texts)
    const allowed = permissions.filter((permission) => may.test(permission))
    return { tenant_id: ctx.tenant.id, name, description, permissions: allowed, created_at: at, updated_at: at }
  })
  return ctx.tx.insertInto('roles').values(rows).returning('id').execute()
}

function colleaguesOf(plan: Plan, owner: { id: number; email: string; password_hash: string | null }, count: number) {
  const { names, calendar } = plan
  const known = new Set<string>()
  const domain = owner.email.split('@')[1]!
  return Array.from({ length: count }, (_, n) => {
    const name = names.person()
    const isSecond = known.has(name)
    known.add(name)
    const at = foundedAt(plan, n, count)
    return {
      name,
      email: addressAt(isSecond ? `${name} ${n}` : name, domain), // the number makes repeated names unique
      password_hash: owner.password_hash,
      email_verified_at: at,
      suspended_at: n === GONE ? calendar.instant(calendar.days - 3)! : null,
      created_by: owner.id,
      created_at: at,
      updated_at: at,
    }
  })
}
