/** Two demo sessions in which the owner worked as a colleague to solve a problem; both have ended. */
import { defineDemo } from '#kernel/demo/parts.ts'
import { insertRows } from '#kernel/records/many-rows.ts'
import { plusSeconds } from '#kernel/values/time.ts'

const reasons = {
  en: ['The order list stays empty for her, looking together', 'Checking the new role before the season begins'],
  de: ['Bestellliste bleibt leer, gemeinsam nachgesehen', 'Neue Rolle vor der Saison geprüft'],
}
/** Token of sessions that ended long ago. */
const TOKEN = 1

export default defineDemo({
  async fill(ctx, { people, calendar, say }) {
    const [owner, ...others] = people
    const targets = others.slice(0, 2)
    if (!owner || !targets.length) return 0
    const sessions = targets.map(({ id }, n) => {
      const created_at = calendar.instant(calendar.days - 12 + 5 * n)!
      return {
        ...{
          actor_id: owner.id,
          target_id: id,
          reason: say(reasons)[n]!,
          ip: '198.51.100.8',
          user_agent: 'Mozilla/5.0',
          token_id: TOKEN,
        },
        ...{ created_at, expires_at: plusSeconds(created_at, 3600), ended_at: plusSeconds(created_at, 700) },
      }
    })
    const ids = await insertRows(ctx, 'user_impersonations', sessions)
    const told = sessions.flatMap(({ target_id, reason, created_at, ended_at }, n) => {
      const session = { user_impersonation_id: ids[n]!, target_id }
      return [
        { event: 'user_impersonation_started', properties: { ...session, reason }, created_at },
        { event: 'user_impersonation_ended', properties: session, created_at: ended_at },
      ]
    })
    await insertRows(
      ctx,
      'audit_logs',
      told.map((entry) => ({ ...entry, actor_type: 'user' as const, actor_id: owner.id, ip: '198.51.100.8' })),
    )
    return sessions.length
  },
})
