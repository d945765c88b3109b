/** Demo: additional workspaces, one suspended and one deleted. */
import { defineDemo } from '#kernel/demo/parts.ts'
import { provision } from './provisioning.ts'

const others = [
  {
    company_name: 'Hafenbuchhandlung Petersen',
    email: 'laden@hafenbuchhandlung.example',
    owner: 'Silke Petersen',
    is: 'suspended',
  },
  { company_name: 'Alder & Finch Interiors', email: 'studio@alder-finch.example', owner: 'Maya Finch', is: 'archived' },
] as const

export default defineDemo({
  async fillPlatform(ctx, { calendar, workspaces }) {
    const { password_hash } = await ctx.tx
      .selectFrom('users')
      .select('password_hash')
      .where('tenant_id', '=', workspaces[0]!.id)
      .where('is_owner', '=', true)
      .executeTakeFirstOrThrow()
    let made = 0
    for (const [n, { company_name, email, owner, is }] of others.entries()) {
      const known = await ctx.tx.selectFrom('tenants').select('id').where('email', '=', email).executeTakeFirst()
      if (known) continue
      const now = calendar.instant(40 + 60 * n)!
      const later = calendar.instant(calendar.days - 30)!
      const { id } = await provision(
        { ...ctx, now },
        { company_name, email, owner: { name: owner, email, password_hash, verified: true } },
      )
      await ctx.tx
        .updateTable('tenants')
        .set({ updated_at: later, ...(is === 'suspended' ? { status: 'suspended' } : { archived_at: later }) })
        .where('id', '=', id)
        .execute()
      made++
    }
    return made
  },
})
