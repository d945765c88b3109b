/** Colleagues and their roles. Everybody signs in with the owner's password. */
import { defineDemo, foundedAt, insertRecords } from '#kernel/modules/demo.ts'

const roles = [
  {
    name: 'buyer',
    description: 'Buys, and keeps vendors and products',
    may: /^(purchase-orders|vendors|products)\.|^(warehouses|inventory|users)\.view$/,
  },
  {
    name: 'storekeeper',
    description: 'Receives what was ordered and minds the stock',
    may: /^(inventory|warehouses)\.|^purchase-orders\.(view|receive|assign)$|^products\.view$/,
  },
  {
    name: 'accountant',
    description: 'Books and pays expenses',
    may: /^expenses\.|^purchase-orders\.(view|assign|convert)$|^vendors\.view$/,
  },
]

export default defineDemo({
  async fill(ctx, plan) {
    const { faker, random } = plan
    const owner = await ctx.tx
      .selectFrom('users')
      .select(['id', 'email', 'password_hash'])
      .where('tenant_id', '=', ctx.tenant.id)
      .where('is_owner', '=', true)
      .executeTakeFirstOrThrow()
    const permissions = ctx.services.modules.permissions('workspace').map(({ name }) => name)
    const made = await ctx.tx
      .insertInto('roles')
      .values(
        roles.map(({ may, ...role }) => ({
          ...role,
          tenant_id: ctx.tenant.id,
          permissions: permissions.filter((name) => may.test(name)),
          created_at: plan.calendar.instant(0)!,
          updated_at: plan.calendar.instant(0)!,
        })),
      )
      .returning('id')
      .execute()

    const count = plan.share(1 / 2000, { least: 7, most: 60 })
    const domain = owner.email.split('@')[1]
    const people = Array.from({ length: count }, (_, n) => {
      const [first, last] = [faker.person.firstName(), faker.person.lastName()]
      const at = foundedAt(plan, n, count)
      return {
        name: `${first} ${last}`,
        // The number keeps two of one name apart.
        email: `${first}.${last}${n < 7 ? '' : n}@${domain}`.toLowerCase().replace(/[^a-z0-9.@-]/g, ''),
        password_hash: owner.password_hash,
        email_verified_at: at,
        suspended_at: n === 5 ? plan.calendar.instant(plan.calendar.days - 3)! : null,
        created_by: owner.id,
        created_at: at,
        updated_at: at,
      }
    })
    const ids = await insertRecords(ctx, 'users', people)
    await ctx.tx
      .insertInto('user_roles')
      .values(
        ids.map((user_id, n) => {
          const role = n < made.length ? made[n]! : random.pick(made)
          return { tenant_id: ctx.tenant.id, user_id, role_id: role.id }
        }),
      )
      .execute()
    return count
  },
})
