/**
 * Demo users of the platform with two of the seeded roles, among them a suspended, an invited and a deleted one. All have the
 * workspaces' demo password.
 */
import { sql } from 'kysely'
import { defineDemo } from '#kernel/demo/parts.ts'

const people = [
  { name: 'Ines Carvalho', role: 'support' },
  { name: 'Tomasz Lis', role: 'support' },
  { name: 'Margit Holm', role: 'billing' },
  { name: 'Rahul Menon', role: 'billing', suspended: true },
  { name: 'Chloé Marchand', role: 'support', invited: true },
  { name: 'Owen Price', role: 'support', left: true },
]

export default defineDemo({
  async fillPlatform(ctx, { calendar, workspaces }) {
    const owner = await ctx.tx
      .selectFrom('users')
      .select('password_hash')
      .where('tenant_id', '=', workspaces[0]!.id)
      .where('is_owner', '=', true)
      .executeTakeFirstOrThrow()
    const rows = people.map(({ name, role, suspended, invited, left }, n) => {
      const at = calendar.instant(n * 12)!
      const later = calendar.instant(calendar.days - 20)!
      const email = `${name
        .split(' ')[0]!
        .normalize('NFKD')
        .replace(/[^A-Za-z]/g, '')
        .toLowerCase()}@platform.example`
      return {
        role,
        ...{ name, email, password_hash: invited ? null : owner.password_hash, invite_sent_at: invited ? at : null },
        ...{ email_verified_at: invited ? null : at, suspended_at: suspended ? later : null, deleted_at: left ? later : null },
        ...{ created_at: at, updated_at: suspended || left ? later : at },
      }
    })
    let made = 0
    for (const { role, ...row } of rows) {
      const known = await ctx.tx.selectFrom('platform_users').select('id').where('email', '=', row.email).executeTakeFirst()
      if (known) continue
      const { id } = await ctx.tx.insertInto('platform_users').values(row).returning('id').executeTakeFirstOrThrow()
      await sql`
        insert into platform_user_roles (user_id, role_id) select ${id}::bigint, id from platform_roles where name = ${role}`.execute(
        ctx.tx,
      )
      made++
    }
    return made
  },
})
