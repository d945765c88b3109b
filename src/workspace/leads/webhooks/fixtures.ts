/** The form on the firm's website, and a partner's portal: who sent what lately. Nobody knows their keys: rotate them to use them. */
import type { Ctx } from '#kernel/context.ts'
import type { Plan } from '#kernel/demo/parts.ts'
import { insertAll, insertRows } from '#kernel/records/many-rows.ts'
import { createEndpoint } from './endpoints.ts'

const names = {
  en: [
    ['Form on the website', 'Website'],
    ['Portal of the chamber of trade', 'Partner'],
  ],
  de: [
    ['Formular der Website', 'Website'],
    ['Portal der Handelskammer', 'Partner'],
  ],
}
/** Days of the log. */
const DAYS = 20

export async function makeEndpoints(ctx: Ctx, plan: Plan) {
  const { random, calendar } = plan
  const leads = await websiteLeads(ctx, plan.say(names)[0]![1]!)
  for (const [n, [name, source]] of plan.say(names).entries()) {
    const endpoint = await createEndpoint(ctx, {
      name: name!,
      default_source: source!,
      default_stage_id: null,
      assign_to_website_recipients: n === 0,
      field_map: n === 0 ? {} : ({ contact: 'name', mail: 'email' } as Record<string, 'name' | 'email'>),
      is_active: true,
    })
    const log = Array.from({ length: n === 0 ? 18 : 3 }, () => calendar.instant(calendar.days - 0.01 - random.next() * DAYS)!)
    const deliveries = log.toSorted().map((created_at, at) => {
      const lead_id = at % 6 === 4 ? null : (leads[at % (leads.length || 1)]?.id ?? null)
      return {
        ...{ endpoint_id: endpoint.id, created_at, lead_id, ip: '203.0.113.24' },
        ...(lead_id
          ? { outcome: 'accepted' as const, status: 201, reason: null, errors: null }
          : {
              outcome: 'refused' as const,
              status: 422,
              reason: 'The sent data is not valid.',
              errors: JSON.stringify({ email: ['Must be an e-mail address.'] }),
            }),
      }
    })
    await insertRows(ctx, 'lead_webhook_deliveries', deliveries)
  }
  await letSomeReceive(ctx, plan)
}

const websiteLeads = (ctx: Ctx, source: string) =>
  ctx.tx
    .selectFrom('leads')
    .select('id')
    .where('tenant_id', '=', ctx.tenant.id)
    .where('source', '=', source)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(18)
    .execute()

/** Two colleagues take the leads of the website in turn. */
async function letSomeReceive(ctx: Ctx, { people }: Plan) {
  const recipients = people.slice(1, 3).map(({ id }) => id)
  if (!recipients.length) return
  await ctx.tx
    .updateTable('users')
    .set({ receive_website_leads: true })
    .where('tenant_id', '=', ctx.tenant.id)
    .where('id', 'in', recipients)
    .execute()
  await insertAll(
    ctx,
    'lead_recipient_turns',
    recipients.map((user_id, n) => ({ user_id, turn: n + 9 })),
  )
}
