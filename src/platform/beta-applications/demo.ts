/** Demo applicants for the founding beta, at different stages. */
import { defineDemo } from '#kernel/demo/parts.ts'
import { randomSecret, sha256 } from '#kernel/secrets/secrets.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const DAY = 24 * 3600

const applicants = [
  {
    name: 'Greta Sandström',
    company: 'Sandström Blommor',
    status: 'activated',
    message: 'We sell flowers in three towns and count them by hand.',
  },
  { name: 'Paulo Teixeira', company: 'Oficina Teixeira', status: 'invited', message: 'Bicycles, repairs, a little rental.' },
  {
    name: 'Hannah Okafor',
    company: 'Okafor & Daughters',
    status: 'approved',
    message: 'Catering for weddings. Purchase orders would save my evenings.',
  },
  {
    name: 'Lukas Steiner',
    company: 'Tischlerei Steiner',
    status: 'reviewing',
    message: 'Angebote und Rechnungen aus einer Hand, das suchen wir.',
  },
  { name: 'Mei Tanaka', company: 'Tanaka Ceramics', status: 'new', message: null },
  { name: 'Colin Byrne', company: 'Byrne Roofing', status: 'new', message: 'Does it work on a telephone, on a roof?' },
  { name: 'Jasper Quill', company: 'Quick Coins', status: 'rejected', message: 'We have an offer for all your customers!' },
] as const

export default defineDemo({
  async fillPlatform(ctx, { calendar }) {
    let made = 0
    for (const [n, { name, company, status, message }] of applicants.entries()) {
      const created_at = calendar.instant(calendar.days - 60 + 8 * n)!
      const updated_at = calendar.instant(calendar.days - 58 + 8 * n)!
      const isInvited = status === 'invited' || status === 'activated'
      const email = `${name.split(' ')[0]!.toLowerCase()}@${company
        .normalize('NFKD')
        .toLowerCase()
        .replace(/[^a-z]+/g, '')}.example`
      const expires_at = plusSeconds(ctx.now, 10 * DAY)
      const [row] = await ctx.tx
        .insertInto('beta_applications')
        .values({
          ...{ name, company, email, message, status, created_at, updated_at },
          internal_notes:
            status === 'rejected' ? 'Not a firm that needs us.' : status === 'reviewing' ? 'Call him on Monday.' : null,
          invited_at: isInvited ? updated_at : null,
          invite_expires_at: isInvited ? expires_at : null,
          activated_at: status === 'activated' ? updated_at : null,
        })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .returning('id')
        .execute()
      if (!row) continue
      made++
      if (status === 'invited')
        await ctx.tx
          .insertInto('beta_invites')
          .values({ token_hash: sha256(randomSecret()), application_id: row.id, created_at: updated_at, expires_at })
          .execute()
    }
    return made
  },
})
